// Schemas of rooms below, for the tests of rooms that use them.
export { checkScenario } from '../../src/files/check.ts'
export { integers, lenient } from '../../src/scenario/schema/json-values.ts'
