// A name that resolves to one address when it is checked and to another when a connection is made, and every other way
// to write the address of a machine that must not be reached. All addresses are of this machine.
import { createServer } from 'node:http'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { aim, call, folder, isAlive, say, serve, submit, until } from './common.js'

const home = folder()
/** A PNG of one pixel. */
const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==',
  'base64',
)

/** What a host was sent. @returns {Promise<{ port: number, hosts: string[] }>} */
function listen(
  /** @type {string} */ address,
  /** @type {() => string | undefined} */ redirect = () => undefined,
  port = 0,
) {
  const hosts = /** @type {string[]} */ ([])
  const server = createServer(({ headers }, response) => {
    hosts.push(headers.host ?? '')
    const location = redirect()
    if (location) response.writeHead(302, { Location: Buffer.from(location).toString('latin1') }).end()
    else response.writeHead(200, { 'Content-Type': 'image/png' }).end(png)
  })
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, address, () =>
      resolve({ port: /** @type {import('node:net').AddressInfo} */ (server.address()).port, hosts }),
    )
  })
}

let location = /** @type {string | undefined} */ (undefined)
// 127.0.0.1 may be reached, 127.0.0.2 may not; both listen on one port, so that only the address decides.
const allowed = await listen('127.0.0.1', () => location)
const victim = await listen('127.0.0.2', undefined, allowed.port)
const six = await listen('::1', undefined, allowed.port).catch(() => ({ hosts: [] }))
const { port } = allowed

// The resolver of a rebinding name: the first answer may be reached, all later ones may not. It also counts.
const hook = join(home, 'resolver.mjs')
writeFileSync(
  hook,
  `import dns from 'node:dns'
import { appendFileSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
const seen = new Map()
const answer = (name) => {
  const times = (seen.get(name) ?? 0) + 1
  seen.set(name, times)
  appendFileSync(${JSON.stringify(join(home, 'lookups'))}, name + '\\n')
  if (name === 'localhost' || name.startsWith('private')) return ['127.0.0.2']
  if (name.startsWith('both')) return ['127.0.0.1', '127.0.0.2']
  if (name.startsWith('mapped')) return ['::ffff:127.0.0.2']
  return times === 1 ? ['127.0.0.1'] : ['127.0.0.2']
}
const all = (name) => answer(name).map((address) => ({ address, family: address.includes(':') ? 6 : 4 }))
dns.promises.lookup = async (name, options) => (options?.all ? all(name) : all(name)[0])
dns.lookup = (name, options, callback) => {
  const done = callback ?? options
  const [first] = all(name)
  if (options.all) done(null, all(name))
  else done(null, first.address, first.family)
}
syncBuiltinESMExports()
`,
)
const config = join(home, 'greenroom.config.json')
writeFileSync(config, JSON.stringify({ fetchImages: { allow: ['127.0.0.1'] } }))
const server = await serve(
  ['--config', config, '--cache-dir', 'false', '--timing', 'instant', '--quality', 'fast'],
  {
    node: ['--import', pathToFileURL(hook).href],
  },
)

/** @returns {Promise<{ status: string, reason: string }>} how a video ends that begins with an image. */
async function endOf(/** @type {string} */ image) {
  const id = await submit(server.url, { prompt: 'it moves', image })
  let data = { status: '', fail_reason: '' }
  await until(async () => {
    ;({ data } = await call(`${server.url}/v1/video/generations/${id}`))
    return data.status === 'SUCCESS' || data.status === 'FAILURE'
  }, 15_000)
  return { status: data.status, reason: data.fail_reason }
}

const plain = await endOf(`http://127.0.0.1:${port}/a.png`)
aim(
  plain.status === 'SUCCESS' && allowed.hosts.length === 1,
  `an allowed address is fetched: ${plain.status} ${plain.reason}`,
)
const rebound = []
for (let name = 0; name < 20; name++)
  rebound.push((await endOf(`http://rebind-${name}.test:${port}/a.png`)).status)
const reached = allowed.hosts.filter((host) => host.startsWith('rebind-')).length
aim(
  rebound.every((status) => status === 'SUCCESS') && reached === 20 && victim.hosts.length === 0,
  `20 names that change after their check: ${reached} connections to the checked address, ${victim.hosts.length} to the other`,
)

/** Each must be refused. */
const forms = [
  '127.0.0.2', 'private.test', 'both.test', 'mapped.test', 'localhost', '2130706434', '0x7f000002', '0x7f.2', '0177.0.0.2', '127.2',
  '127.0.0.2.', '0.0.0.0', '0', '[::1]', '[::]', '[::ffff:127.0.0.2]', '[::ffff:7f00:2]', '[::127.0.0.2]', '[64:ff9b::127.0.0.2]',
  '[64:ff9b:1::7f00:2]', '[2002:7f00:2::]', '①②⑦.0.0.②', '%31%32%37.0.0.2', 'user@127.0.0.2', '127.0.0.1@127.0.0.2',
] // prettier-ignore
const taken = /** @type {string[]} */ ([])
for (const form of forms) {
  const before = victim.hosts.length + six.hosts.length
  location = undefined
  const direct = await endOf(`http://${form}:${port}/a.png`).catch((error) => ({
    status: 'FAILURE',
    reason: String(error),
  }))
  // The same by a redirect of a host that is allowed.
  location = `http://${form}:${port}/a.png`
  const redirected = await endOf(`http://127.0.0.1:${port}/r.png`)
  const isReached = victim.hosts.length + six.hosts.length > before
  if (isReached || direct.status !== 'FAILURE' || redirected.status !== 'FAILURE')
    taken.push(`${form}: ${direct.status}, by a redirect ${redirected.status}`)
}
for (const each of taken) say(each)
aim(
  taken.length === 0,
  `${forms.length} ways to write an address that is not allowed, directly and by a redirect: ${taken.length} are fetched`,
)
aim(isAlive(server), 'the server is well')
await server.stop()
process.exit()
