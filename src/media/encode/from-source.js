// Runs a TypeScript program of this folder without a build.
const { createJiti } = await import('jiti')
await createJiti(import.meta.url).import(`./${process.argv[2]}`)
