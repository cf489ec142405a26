import js from "@eslint/js";
import globals from "globals";

const STATIC = "src/steelyard/web/static";

/** Folders of static/ that a folder must not import from: families know what is shared, pages know widgets. */
const LAYERS = [
  { files: ["*.js"], above: ["pages", "widgets"] },
  { files: ["widgets/*.js"], above: ["pages", "scale", "cards", "choices"] },
  { files: ["widgets/choices/*.js"], above: ["pages", "scale", "cards"] },
  { files: ["widgets/cards/*.js"], above: ["pages", "scale", "choices"] },
  { files: ["widgets/scale/*.js"], above: ["pages"] },
];

const layers = LAYERS.map(({ files, above }) => ({
  files: files.map((each) => `${STATIC}/${each}`),
  rules: {
    "no-restricted-imports": ["error", { patterns: above.map((folder) => `**/${folder}/**`) }],
  },
}));

export default [
  { ignores: ["**/*.d.ts", "node_modules/**"] },
  js.configs.recommended,
  { linterOptions: { reportUnusedDisableDirectives: "error" } },
  {
    rules: {
      complexity: ["error", 10],
      "max-depth": ["error", 3],
      "max-len": ["error", { code: 120, ignoreTemplateLiterals: true }],
      "max-lines": ["error", 400],
      "max-lines-per-function": ["error", 60],
      "max-params": ["error", 5],
      eqeqeq: "error",
      "no-eval": "error",
      "no-implied-eval": "error",
      "no-implicit-globals": "error",
      "no-param-reassign": "error",
      "no-shadow": "error",
      "no-unused-vars": ["error", { argsIgnorePattern: "^_" }],
      "no-var": "error",
      "object-shorthand": "error",
      "prefer-const": "error",
    },
  },
  {
    files: [`${STATIC}/**/*.js`],
    languageOptions: { globals: globals.browser },
    rules: {
      "no-restricted-properties": ["error", ...["innerHTML", "outerHTML", "insertAdjacentHTML", "write"].map(
        (property) => ({ property, message: "Build elements instead: text must never be read as HTML." }))],
      // A module keeps no state: what changes belongs to an object.
      "no-restricted-syntax": ["error", {
        selector: ":matches(Program, Program > ExportNamedDeclaration) > VariableDeclaration[kind=let]",
        message: "A module keeps no state: put it into a class.",
      }],
    },
  },
  ...layers,
  { files: ["tests/front/**/*.js", "*.config.js"], languageOptions: { globals: globals.node } },
];
