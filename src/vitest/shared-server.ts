import type { GreenroomOptions, MswServer, Unhandled } from './options.ts'

/** Handlers that are played. */
export interface Listening {
  /** Called before each test: who owns the server may have reset it. */
  readonly renew: () => void
  readonly close: () => Promise<void> | void
}

/** A server that nobody but this entry has. */
interface OwnServer extends MswServer {
  listen(options: object): void
  resetHandlers(): void
  close(): void
}

export type SetupServer = () => OwnServer

/**
 * One server of MSW for all who need one in a file: two that listen would each complain of what the other answers. The
 * handlers of who came last stand in front.
 */
class SharedServer {
  #server: OwnServer | undefined
  readonly #users = new Set<readonly unknown[]>()

  open(
    handlers: readonly unknown[],
    setupServer: SetupServer,
    { onUnhandledRequest }: Pick<GreenroomOptions, 'onUnhandledRequest'>,
  ): Listening {
    this.#users.add(handlers)
    if (!this.#server) {
      this.#server = setupServer()
      // The second is what the first is called in msw 3.
      this.#server.listen({
        onUnhandledRequest: onUnhandledRequest ?? refuseNetwork,
        onUnhandledFrame: onUnhandledRequest ?? 'error',
      })
    }
    const server = this.#server
    server.use(...handlers)
    return {
      renew: () => {
        const present = new Set(server.listHandlers())
        if (handlers.some((handler) => !present.has(handler))) server.use(...handlers)
      },
      close: () => {
        this.#users.delete(handlers)
        server.resetHandlers()
        for (const others of this.#users) server.use(...others)
        if (this.#users.size > 0) return
        server.close()
        this.#server = undefined
      },
    }
  }
}

export const sharedServer = new SharedServer()

/** SDKs try out fetch on a `data:` address; that goes nowhere. */
const refuseNetwork: Exclude<Unhandled, string> = ({ url }, print) => {
  if (url.startsWith('http')) print.error()
}
