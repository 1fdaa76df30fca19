import type * as browser from '../../src/browser.ts'
import type { BrowserSimulator } from '../../src/browser.ts'
import type * as walks from './walk.js'

/** What tests find in the page. */
declare global {
  var sim: BrowserSimulator
  var greenroom: typeof browser
  var walk: typeof walks
}
