import { spawnSync } from 'node:child_process'
import { lstatSync, readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { cellOf } from '../figures.js'
import { ownFolder } from '../folders.js'
import { peerVersions } from '../peers/peers.js'
import { here } from '../servers.js'

const rounds = 3

/**
 * What `npm install` brings for production, in an empty project without npm's cache: of greenroom, its packed tarball.
 */
export async function measureInstall() {
  const tarball = pack()
  const contenders = [
    { name: 'greenroom', spec: tarball },
    ...['@copilotkit/aimock', 'mockserver-node'].map((name) => ({
      name,
      spec: `${name}@${peerVersions()[name]}`,
    })),
  ]
  /** @type {Map<string, { packages: number, megabytes: number, seconds: number[] }>} */
  const figures = new Map()
  for (let round = 0; round < rounds; round++) {
    for (const { name, spec } of contenders) {
      const { seconds, ...size } = install(spec)
      figures.set(name, { ...size, seconds: [...(figures.get(name)?.seconds ?? []), seconds] })
    }
  }
  const rows = Array.from(
    figures,
    ([name, { packages, megabytes, seconds }]) =>
      `| ${name} | ${packages} | ${Math.round(megabytes)} MB | ${cellOf(seconds, 's')} |`,
  )
  return `\`npm install --omit=dev\` in an empty project with an empty cache of npm; medians of ${rounds} rounds, in turns, and the spread.

| | packages | on disk | takes |
|---|---|---|---|
${rows.join('\n')}`
}

/** @returns {string} the tarball of this package */
function pack() {
  const folder = ownFolder()
  run(here('..'), ['pack', '--pack-destination', folder])
  const [name] = readdirSync(folder)
  return join(folder, String(name))
}

function install(/** @type {string} */ spec) {
  const folder = ownFolder()
  writeFileSync(join(folder, 'package.json'), '{}')
  const began = performance.now()
  run(folder, ['install', '--omit=dev', '--no-audit', '--no-fund', '--cache', ownFolder(), spec])
  const seconds = (performance.now() - began) / 1_000
  const { packages } = JSON.parse(readFileSync(join(folder, 'node_modules/.package-lock.json'), 'utf8'))
  return {
    seconds,
    packages: Object.keys(packages).length,
    megabytes: bytesOf(join(folder, 'node_modules')) / 1e6,
  }
}

/** The bytes of all files of a folder, without following links. */
function bytesOf(/** @type {string} */ folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, { parentPath, name }) => sum + lstatSync(join(parentPath, name)).size, 0)
}

function run(/** @type {string} */ cwd, /** @type {string[]} */ words) {
  const { status, stderr } = spawnSync('npm', words, { cwd, encoding: 'utf8' })
  if (status !== 0) throw new Error(`npm ${words[0]} failed: ${stderr}`)
}
