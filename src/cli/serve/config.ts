import type { ServerOptions } from '../../server/start.ts'

/** What a config file may say: the server's options, how `serve` speaks, and what `run` tells its command. */
export interface Config extends ServerOptions {
  quiet?: boolean
  json?: boolean
  env?: Readonly<Record<string, string>>
}
