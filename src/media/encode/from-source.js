// Runs a program beside this file that is written in TypeScript, as it stands. What is built needs no such thing.
const { createJiti } = await import('jiti')
await createJiti(import.meta.url).import(`./${process.argv[2]}`)
