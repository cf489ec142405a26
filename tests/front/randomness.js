/**
 * The same numbers from 0 up to 1 for the same seed, so that a failure can be repeated.
 * @param {number} seed
 */
export function randomFrom(seed) {
  let state = seed;
  return () => {
    state = (state * 16_807) % 2_147_483_647;
    return state / 2_147_483_647;
  };
}
