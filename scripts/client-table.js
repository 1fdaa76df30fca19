// The table of clients in docs/reference/sdks.md: which clients the folders of test/clients run, in which versions, and what they do.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const clients = new URL('../test/clients/', import.meta.url)
const document = new URL('../docs/reference/sdks.md', import.meta.url)
const markers = { start: '<!-- clients -->', end: '<!-- /clients -->' }

/** The folders of test/clients, each with the file that runs its client and the packages that it installs. */
export function listClients() {
  return readdirSync(clients, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => {
      const file = ['client.js', 'client.py', 'client.sh'].find((each) =>
        existsSync(new URL(`${name}/${each}`, clients)),
      )
      if (!file) throw new Error(`test/clients/${name} has no client.js, client.py or client.sh`)
      return { name, file, packages: readPackages(name) }
    })
}

/**
 * Writes the table.
 * @param {Record<string, string[]>} results the steps that each folder's client ran, by the folder's name
 */
export function writeClientTable(results) {
  const rows = listClients().map(({ name, packages }) => {
    const steps = [...new Set(results[name]?.map((step) => step.replace(/^.*: /, '')))]
    return `| \`${name}\` | ${packages.map((each) => `\`${each}\``).join(', ')} | ${steps.join(', ')} |`
  })
  const table = ['| Folder | Packages | Steps |', '|---|---|---|', ...rows].join('\n')
  const text = readFileSync(document, 'utf8')
  const [before] = text.split(markers.start)
  const [, after] = text.split(markers.end)
  writeFileSync(fileURLToPath(document), `${before}${markers.start}\n\n${table}\n\n${markers.end}${after}`)
}

/** @param {string} name */
function readPackages(name) {
  const file = new URL(`${name}/package.json`, clients)
  if (!existsSync(file)) return []
  const { dependencies } = JSON.parse(readFileSync(file, 'utf8'))
  return Object.entries(dependencies).map(([dependency, version]) => `${dependency} ${version}`)
}
