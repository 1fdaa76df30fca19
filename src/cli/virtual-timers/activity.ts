import { subscribe } from 'node:diagnostics_channel'
import type { ClientRequest } from 'node:http'
import { performance } from 'node:perf_hooks'
import { hostTimers } from '../../engine/clock/timers/host-timers.ts'

/** What Node lists as active although the process only waits: its standard streams, its timers, and sockets. */
const passiveResources =
  /^(?:TTYWrap|PipeWrap|Timeout|Immediate|TCPSocketWrap|TCPServerWrap|TLSWrap|SignalWrap|CloseReq)$/

/** A body without progress for longer is one that the program does not read. */
const abandonedMs = 250

/** More of a turn than this is work. */
const workMs = 2

/** Looks in a row without any work. Each turn of the event loop reads what has arrived, so a busy machine can't hide it. */
const minIdleLooks = 3

/** Tells whether this process does anything but wait. */
export interface Activity {
  /** Whether it did nothing since the previous call, and nothing that it waits for is on its way. */
  isIdle: () => boolean
}

/** Watches the requests of this process, except those that `isOwn` names, and how busy its event loop is. */
export function watchActivity(isOwn: (path: string) => boolean): Activity {
  const withoutHeaders = new Set<unknown>()
  const withoutEnd = new Set<unknown>()
  watchFetch(withoutHeaders, withoutEnd)
  watchHttp(isOwn, withoutHeaders, withoutEnd)
  let utilization = performance.eventLoopUtilization()
  let idleSinceMs = hostTimers.elapsedMs()
  let idleLooks = 0
  return {
    isIdle: () => {
      const before = utilization
      utilization = performance.eventLoopUtilization()
      const worked = performance.eventLoopUtilization(utilization, before).active > workMs
      const isBusy = process.getActiveResourcesInfo().some((name) => !passiveResources.test(name))
      const nowMs = hostTimers.elapsedMs()
      if (worked || isBusy || withoutHeaders.size > 0) [idleSinceMs, idleLooks] = [nowMs, 0]
      else idleLooks++
      return idleLooks >= minIdleLooks && (withoutEnd.size === 0 || nowMs - idleSinceMs > abandonedMs)
    },
  }
}

/** The requests of `fetch`, and of undici. */
function watchFetch(withoutHeaders: Set<unknown>, withoutEnd: Set<unknown>): void {
  const read = (message: unknown): object => (message as { request: object }).request
  subscribe('undici:request:create', (message) => {
    withoutHeaders.add(read(message))
    withoutEnd.add(read(message))
  })
  subscribe('undici:request:headers', (message) => void withoutHeaders.delete(read(message)))
  for (const name of ['undici:request:trailers', 'undici:request:error']) {
    subscribe(name, (message) => {
      withoutHeaders.delete(read(message))
      withoutEnd.delete(read(message))
    })
  }
}

/** The requests of `node:http` and `node:https`, which most other libraries use. */
function watchHttp(
  isOwn: (path: string) => boolean,
  withoutHeaders: Set<unknown>,
  withoutEnd: Set<unknown>,
): void {
  subscribe('http.client.request.start', (message) => {
    const { request } = message as { request: ClientRequest }
    if (isOwn(request.path)) return
    withoutHeaders.add(request)
    withoutEnd.add(request)
    request.once('response', () => withoutHeaders.delete(request))
    request.once('close', () => {
      withoutHeaders.delete(request)
      withoutEnd.delete(request)
    })
  })
}
