// An application that makes one video. Only its environment says that the gateway is a simulator.
import { makeVideo } from './video.js'

const { id, bytes } = await makeVideo('a red kite')
console.log(`${id} has ${bytes.length} bytes`)
