import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { http as http2, HttpHandler, HttpResponse, passthrough } from 'msw'
import { describe } from 'vitest'

type Msw2Server = ReturnType<(typeof import('msw/node'))['setupServer']>

/** The common API of both majors, with the names of msw 2. */
export interface AnyMsw {
  readonly http: typeof http2
  readonly HttpResponse: typeof HttpResponse
  readonly passthrough: typeof passthrough
  readonly setupServer: (
    ...handlers: HttpHandler[]
  ) => Pick<
    Msw2Server,
    'use' | 'close' | 'boundary' | 'resetHandlers' | 'restoreHandlers' | 'listHandlers' | 'events'
  > & { listen(options: object): void }
}

/** The folder with msw 3 in its node_modules, or the reason to skip it. */
export const msw3Folder = process.env['GREENROOM_MSW3']
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
export const noMsw3 =
  major < 22 || (major === 22 && minor < 12)
    ? `skipped: msw 3 needs Node 22.12, this is ${process.versions.node}`
    : msw3Folder === undefined
      ? 'skipped: GREENROOM_MSW3 names no folder that has msw 3 in its node_modules'
      : undefined

export async function loadMsw(which: 2 | 3): Promise<AnyMsw> {
  const at = which === 2 ? import.meta.url : join(msw3Folder!, 'package.json')
  const { resolve } = createRequire(at)
  const load = async (name: string): Promise<unknown> =>
    which === 2 ? import(name) : import(pathToFileURL(resolve(name)).href)
  // Sequential: Node can't require a module during its import.
  const core = (await load('msw')) as object
  return { ...core, ...((await load('msw/node')) as object) } as AnyMsw
}

/** Runs the same tests with both majors; with msw 3 only if it is available. */
export function describeMsw(tests: (load: () => Promise<AnyMsw>, which: 2 | 3) => void): void {
  describe('with msw 2', () => tests(() => loadMsw(2), 2))
  describe.skipIf(noMsw3)(`with msw 3${noMsw3 ? ` (${noMsw3})` : ''}`, () => tests(() => loadMsw(3), 3))
}
