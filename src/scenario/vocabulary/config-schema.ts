import * as z from 'zod/mini'
import { optionDefaults } from './defaults.ts'
import { flag, may, mayDefault } from '../schema/fields.ts'
import { text, wholeNumber } from '../schema/values.ts'
import { isSettableVariable } from '../schema/variable-name.ts'
import { forEachSettings } from '../schema/known-names.ts'
import type { ApiSettings } from '../../engine/operations/operation-table.ts'
import { clockSchema, optionsShape } from './options-schema.ts'

const variable = z.lazy(() =>
  z
    .string()
    .check(z.regex(/^[A-Za-z_]\w*$/, 'must be a name of a variable'))
    .check(
      z.refine(isSettableVariable, {
        error: ({ input }) =>
          'a file may not set this variable, because it could change which code or program runs. Use a name that ends in ' +
          '_URL, _KEY, _TOKEN or the like, or that begins with MY_. Otherwise remove it from the file and ' +
          `start run with --env ${String(input)}=VALUE`,
      }),
    ),
)

/** The keys that only a config file has. */
function serverShape() {
  return {
    port: flag(
      mayDefault(wholeNumber(0, 65_535), 'Listen on this port; 0 takes a free one.', optionDefaults.port),
    ),
    host: flag(
      mayDefault(z.string(), 'Listen on this address; any but loopback needs keys.', optionDefaults.host),
    ),
    clock: may(clockSchema, 'The clock of the server. Default: mode `real`.', 'auto', {
      mode: 'scaled',
      rate: 60,
    }),
    ffmpeg: may(
      text(1),
      'Encode with the program at this path, or with `wasm`. Also GREENROOM_FFMPEG. A scenario in YAML or JSON names no program.',
      'wasm',
    ),
    cacheDir: flag(
      may(
        z.union([text(1), z.literal(false)]),
        'Cache finished clips in this folder: new, empty, or an earlier cache; false caches them in memory only.',
        '.greenroom',
        false,
      ),
    ),
    state: flag(may(text(1), 'Persist tasks, time and balances in this folder.', '.greenroom-state')),
    bodies: may(
      z.boolean(),
      `Hold headers and bodies of the latest ${optionDefaults.storedExchanges} exchanges in memory, for the dashboard; false if CI is set. Default true.`,
      false,
    ),
    env: may(
      z.record(variable, z.string()),
      'Variables that `run` sets for its command, in addition to the usual ones. `${url}` and `${key}` are the URL and the key of the server, `${runDir}` is the folder of the run. Only names of an application work, such as `*_URL`, `*_KEY`, `*_TOKEN` and `MY_*`.',
      { MY_GATEWAY: '${url}/v1' },
    ),
    log: flag(
      may(
        z.enum(['pretty', 'json', 'silent']),
        'Print banner and requests for people, both as JSON lines, or only the URL. Default pretty.',
        'json',
      ),
    ),
  }
}

/** The config file, key by key. */
export const configSchema = forEachSettings((settings) => z.strictObject(configShape(settings)))

/** @param settings those of APIs. */
export function configShape<Settings extends ApiSettings>(settings: Settings) {
  return { ...optionsShape(settings), ...serverShape() }
}
