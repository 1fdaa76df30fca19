/**
 * The version of greenroom.
 *
 * @example
 * const madeBy = `greenroom ${version}`
 * madeBy // → 'greenroom …'
 */
export const version = '0.4.0'
