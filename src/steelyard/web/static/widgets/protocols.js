import { BestWorst } from "./choices/best-worst.js";
import { Comparison } from "./choices/comparison.js";
import { ComparisonList } from "./choices/comparison-list.js";
import { List } from "./scale/list.js";
import { Range } from "./scale/range.js";
import { Ranking } from "./cards/ranking.js";
import { Rating } from "./scale/rating.js";

const KNOWN = [Rating, List, Comparison, ComparisonList, Ranking, BestWorst, Range];

/** The element of each protocol; a further protocol is one more entry. */
export const PROTOCOLS = Object.freeze(Object.fromEntries(KNOWN.map(({ kind, tag }) => [kind, tag])));
