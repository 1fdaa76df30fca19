import { readFileSync } from 'node:fs'

/** A bug of `bugs.md`. */
interface PlantedBug {
  readonly name: string
  readonly client: string
  /** What shows it: a fault, or a variant of the gateway. */
  readonly foundBy: string
}

/** The rows of the tables. */
export const plantedBugs: readonly PlantedBug[] = Array.from(
  readFileSync(new URL('bugs.md', import.meta.url), 'utf8').matchAll(
    /^\| `([\w-]+)` \| (\w+) \| \w+ \| `([^`]+)` \|/gm,
  ),
  ([, name, client, foundBy]) => ({ name: name!, client: client!, foundBy: foundBy! }),
)

/** The bugs of a client, as the rows of a table of tests. */
export const bugsOf = (client: string): [name: string, foundBy: string][] =>
  plantedBugs.filter((bug) => bug.client === client).map(({ name, foundBy }) => [name, foundBy])
