export { startServer, type RunningServer, type ServerOptions } from './start.ts'
export { ServerError } from './server.ts'
