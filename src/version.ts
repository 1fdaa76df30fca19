/**
 * The version of greenroom; the tidy test keeps it equal to the package's.
 *
 * @example
 * const madeBy = `greenroom ${version}`
 * madeBy // → 'greenroom …'
 */
export const version = '0.2.0'
