import { createHash } from 'node:crypto'
import { globSync, readFileSync } from 'node:fs'
import { Instrumenter } from '@stryker-mutator/instrumenter'

const silent = { debug() {}, info() {}, isDebugEnabled: () => false }

/** Where a mutant is, as Stryker's option `mutate` takes it. */
const rangeOf = ({ fileName, location: { start, end } }) =>
  `${fileName.slice(fileName.lastIndexOf('src/'))}:${start.line + 1}:${start.column}-${end.line + 1}:${end.column}`

export const idOf = (mutant) => `${rangeOf(mutant)} ${mutant.mutatorName} ${mutant.replacement}`

/** All mutants of a folder. Names have no line numbers, so an edit elsewhere in a file leaves most of a sample as it was. */
async function listMutants(folder) {
  const files = globSync(`${folder}/**/*.ts`).sort()
  const sources = files.map((name) => ({ name, mutate: true, content: readFileSync(name, 'utf8') }))
  const options = { excludedMutations: [], ignorers: [], plugins: null }
  const { mutants } = await new Instrumenter(silent).instrument(sources, options)
  const lines = new Map(sources.map(({ name, content }) => [name, content.split('\n')]))
  const counts = new Map()
  return mutants.map((mutant) => {
    const line = lines.get(mutant.fileName)[mutant.location.start.line].trim()
    const text = [mutant.fileName, mutant.mutatorName, mutant.replacement, line].join('\n')
    const count = counts.get(text) ?? 0
    counts.set(text, count + 1)
    return { name: `${text}\n${count}`, range: rangeOf(mutant), id: idOf(mutant) }
  })
}

/** Draws the mutants of a folder that rank lowest. A rank depends only on the seed and on the mutant's own name. */
export async function drawMutants(folder, seed, count) {
  const rankOf = ({ name }) => createHash('sha256').update(`${seed}\n${name}`).digest('hex')
  const ranked = (await listMutants(folder)).map((mutant) => ({ ...mutant, rank: rankOf(mutant) }))
  return ranked.sort((a, b) => (a.rank < b.rank ? -1 : 1)).slice(0, count)
}
