import type { ServerOptions } from '../server/start.ts'

/** What a config file may say: the server's options, and how `serve` speaks. */
export interface Config extends ServerOptions {
  quiet?: boolean
  json?: boolean
}
