/** The version of greenroom; the tidy test keeps it equal to the package's. */
export const version = '0.1.0'
