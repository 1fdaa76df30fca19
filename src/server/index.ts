export { startServer, type ServerOptions } from './start.ts'
export { ServerError, type RunningServer } from './server.ts'
