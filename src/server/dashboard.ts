import { readdirSync, readFileSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { extname, join } from 'node:path'
import { packagePath } from '../files/package-path.ts'

const base = '/_greenroom/'
const appBase = `${base}app/`

/** The page may load only files of this server, and no other site may embed it. */
const contentPolicy = [
  `default-src 'none'`,
  `script-src 'self'`,
  `style-src 'self'`,
  `img-src 'self' data: blob:`,
  `media-src 'self' blob:`,
  `font-src 'self'`,
  `connect-src 'self'`,
  `base-uri 'none'`,
  `form-action 'none'`,
  `frame-ancestors 'none'`,
].join('; ')

const commonHeaders = {
  'content-security-policy': contentPolicy,
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
}

const contentTypes: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.woff2': 'font/woff2',
  '.svg': 'image/svg+xml',
}

/** The files of the page by path, a quarter of a megabyte in total. */
let files: ReadonlyMap<string, Buffer> | undefined

/** File names contain a hash of the content, so browsers cache them forever. */
function readFiles(): ReadonlyMap<string, Buffer> {
  const folder = packagePath('dist/dashboard/page')
  const read = new Map([[base, readFileSync(join(folder, 'index.html'))]])
  for (const name of readdirSync(join(folder, 'app')))
    read.set(appBase + name, readFileSync(join(folder, 'app', name)))
  return read
}

/** Sends the page or one of its files. */
export function serveDashboard({ method, url = '' }: IncomingMessage, response: ServerResponse): void {
  const path = url.split('?', 1)[0]!
  // Below any other path, the relative paths of its files would be wrong.
  if (path !== base && !path.startsWith(appBase)) {
    response.writeHead(302, { location: base + url.slice(path.length), 'cache-control': 'no-store' }).end()
    return
  }
  try {
    files ??= readFiles()
  } catch {
    return sendText(response, 503, 'The dashboard is missing: build greenroom with npm run build.')
  }
  const body = files.get(path)
  if (!body)
    return sendText(response, 404, `The dashboard has no file ${path.slice(0, 100)}. Reload the page.`)
  response.writeHead(200, {
    ...commonHeaders,
    'content-type': contentTypes[extname(path) || '.html'],
    'content-length': body.length,
    'cache-control': path === base ? 'no-store' : 'public, max-age=31536000, immutable',
  })
  response.end(method === 'HEAD' ? undefined : body)
}

function sendText(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, { ...commonHeaders, 'content-type': 'text/plain; charset=utf-8' })
  response.end(`${text}\n`)
}
