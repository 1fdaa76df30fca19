import { installVirtualTimers } from './install.ts'

// `node --import greenroom/virtual-timers` loads this file before a program.
const { GREENROOM_URL: url, GREENROOM_CONTROL_TOKEN: token, GREENROOM_NAMESPACE: namespace } = process.env
if (url === undefined || url === '')
  throw new Error('Virtual timers need a simulator: set GREENROOM_URL, such as http://127.0.0.1:4646.')
await installVirtualTimers(url, { token, namespace }).catch((error: Error) => {
  throw new Error(
    `Virtual timers need a simulator, and GREENROOM_URL is ${url}: ${error.message}. Start one there.`,
  )
})
