import { afterAll, beforeAll, expect, it } from 'vitest'
import { startServer, type RunningServer } from '../../src/server/index.ts'

let server: RunningServer
beforeAll(async () => {
  server = await startServer({ port: 0, cacheDir: false, clock: { mode: 'manual' } })
})
afterAll(() => server.close())

const get = (path: string, accept = 'text/html,*/*', init: RequestInit = {}): Promise<Response> =>
  fetch(server.url + path, { redirect: 'manual', ...init, headers: { accept, ...init.headers } })

it('opens the dashboard for a browser, at the root as well', async () => {
  const root = await get('/?namespace=shop')
  expect([root.status, root.headers.get('location')]).toEqual([302, '/_greenroom/?namespace=shop'])
  expect((await get('/_greenroom')).headers.get('location')).toBe('/_greenroom/')
  const page = await get('/_greenroom/')
  expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8')
  expect(page.headers.get('cache-control')).toBe('no-store')
  expect(await page.text()).toContain('<title>greenroom</title>')
})

it('answers other clients at the same addresses as before', async () => {
  const index = (await (await get('/_greenroom/', 'application/json')).json()) as { greenroom: string }
  expect(index.greenroom).toBe('control API')
  const root = await get('/', '*/*')
  expect([root.status, root.headers.get('content-type')]).toEqual([404, 'application/json; charset=utf-8'])
  const post = await get('/_greenroom/', 'text/html', { method: 'POST' })
  expect(post.status).toBe(405)
})

it('serves the files of the page for a year, and no others', async () => {
  const page = await (await get('/_greenroom/')).text()
  const paths = [...page.matchAll(/(?:src|href)="\.\/(app\/[^"]+)"/g)].map(([, path]) => path!)
  expect(paths.length).toBeGreaterThan(2)
  for (const path of paths) {
    const file = await get(`/_greenroom/${path}`, '*/*')
    expect([path, file.status]).toEqual([path, 200])
    expect(file.headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
    expect(Number(file.headers.get('content-length'))).toBe((await file.arrayBuffer()).byteLength)
    const head = await get(`/_greenroom/${path}`, '*/*', { method: 'HEAD' })
    expect([head.status, await head.text()]).toEqual([200, ''])
  }
  for (const path of ['app/none.js', 'app/../index.html', 'app/..%2f..%2freport.html', 'app/'])
    expect((await get(`/_greenroom/${path}`, '*/*')).status, path).toBe(404)
})

it('allows the page nothing but its own server', async () => {
  const { headers } = await get('/_greenroom/')
  const policy = headers.get('content-security-policy')!
  expect(policy).toContain("default-src 'none'")
  expect(policy).toContain("frame-ancestors 'none'")
  expect(policy).not.toMatch(/unsafe|\*|https?:/)
  expect(headers.get('x-content-type-options')).toBe('nosniff')
  expect(headers.get('referrer-policy')).toBe('no-referrer')
  expect(headers.get('cross-origin-opener-policy')).toBe('same-origin')
})
