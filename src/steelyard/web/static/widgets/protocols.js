import { List } from "./list.js";
import { Rating } from "./rating.js";

/** The element of each protocol; a further protocol is one more entry. */
export const PROTOCOLS = Object.freeze(Object.fromEntries([Rating, List].map(({ kind, tag }) => [kind, tag])));
