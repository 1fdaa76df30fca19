/**
 * `node:http`, for its values. An `import` of a built-in module reads each of its exports, and `http.WebSocket` of Node 22.5
 * and later loads undici: a third of the time from the start of a server to its first response.
 */
export const nodeHttp = globalThis.process.getBuiltinModule('node:http')
