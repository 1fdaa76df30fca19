// A program that draws the frames of `full` clips, so that the server stays responsive.
//
// In:  for each job a u32 length, JSON { spec, pictureBytes }, then the pictures to animate, one after the other.
// Out: for each frame a u32 length, JSON { byteLength }, then that many bytes of planar YUV 4:2:0. { error, isMissing }
// ends a job.
import { PackageMissing } from '../source.ts'
import { drawFrames } from './drawn-frames.ts'
import { leaveInterruptsToOthers, readAll, readMessage, sendAnswer, writeAll } from './pipes.js'
import type { DrawJob } from './full-clip.ts'

leaveInterruptsToOthers()
for (let job = nextJob(); job; job = nextJob()) await draw(job)

function nextJob(): DrawJob | undefined {
  return readMessage() as DrawJob | undefined
}

async function draw({ spec, pictureBytes }: DrawJob): Promise<void> {
  const pictures = pictureBytes.map((count) => {
    const picture = new Uint8Array(count)
    readAll(picture)
    return count > 0 ? picture : undefined
  })
  try {
    for await (const frame of drawFrames(spec, pictures)) {
      sendAnswer({ byteLength: frame.length })
      writeAll(frame)
    }
  } catch (error) {
    sendAnswer({ error: (error as Error).message, isMissing: error instanceof PackageMissing })
  }
}
