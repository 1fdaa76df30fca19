// In the page: greenroom by its explicit entry, and what is done with it.
import * as greenroom from 'greenroom/browser'
import * as walk from './walk.js'

Object.assign(globalThis, { greenroom, walk })
