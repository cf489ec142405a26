import { BestWorst } from "./best-worst.js";
import { Comparison } from "./comparison.js";
import { ComparisonList } from "./comparison-list.js";
import { List } from "./list.js";
import { Range } from "./range.js";
import { Ranking } from "./ranking.js";
import { Rating } from "./rating.js";

const KNOWN = [Rating, List, Comparison, ComparisonList, Ranking, BestWorst, Range];

/** The element of each protocol; a further protocol is one more entry. */
export const PROTOCOLS = Object.freeze(Object.fromEntries(KNOWN.map(({ kind, tag }) => [kind, tag])));
