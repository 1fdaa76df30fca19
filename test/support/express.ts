import { createRequire } from 'node:module'
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type express5 from 'express'

/** Express 4 comes with @mswjs/http-middleware. */
export async function loadExpress(major: 4 | 5): Promise<typeof express5> {
  if (major === 5) return (await import('express')).default
  const { resolve } = createRequire(import.meta.url)
  return createRequire(resolve('@mswjs/http-middleware'))('express') as typeof express5
}

/** Listens with an application on a free port. */
export async function listening(
  application: RequestListener,
): Promise<{ url: string; server: Server } & AsyncDisposable> {
  const server = createServer(application)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    server,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    [Symbol.asyncDispose]: async () => {
      const closed = new Promise((resolve) => server.close(resolve))
      server.closeAllConnections()
      await closed
    },
  }
}
