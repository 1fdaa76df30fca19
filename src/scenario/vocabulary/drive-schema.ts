import { z } from 'zod'
import { flows, verifications } from '../drive.ts'
import { may, must, named } from './fields.ts'
import { duration, positive, sizeText, wholeNumber } from './values.ts'

export const driveSchema = named(
  'driveStep',
  z.strictObject({
    flow: must(z.enum(flows), 'Which surface it speaks to, and how.', 'video'),
    model: may(z.string().min(1), 'The model. Default: one of the surface.', 'video-fast-1'),
    prompt: may(
      z.string(),
      'The prompt. Of several, all but the first say which they are: `…, take 2`.',
      'a paper boat in the rain',
    ),
    n: may(positive.max(1_000), 'How many times, at the same time. Default 1.', 3),
    submitTogether: may(
      z.boolean(),
      'Whether all are submitted at the same moment; otherwise each when the one before was answered.',
      true,
    ),
    pollEvery: may(duration, 'How long it waits between two looks at a task. Default 5s.', '3s'),
    giveUpAfter: may(
      duration,
      'After how long it gives a task up, since its submission. Default 10m.',
      '15m',
    ),
    retries: may(
      wholeNumber.min(0).max(100),
      'How often it asks again for an answer that was refused for now, lost or broken. Default 5.',
      2,
    ),
    verify: may(
      z.enum(verifications),
      'How it checks downloads: not at all, by their length, or by that and the entity tag. Default `etag`.',
      'length',
    ),
    download: may(z.boolean(), 'Whether finished tasks are downloaded. Default true.', false),
    seconds: may(positive, 'Of videos: the length.', 4),
    size: may(sizeText, 'Of videos: the size.', '640x360'),
    actions: may(
      z.array(z.string().min(1)).min(1).max(100),
      'Of drawings, one after the other, each on the latest result that has such a button: upscale 2, vary 3, zoom 2, pan left, repaint, animate, or the words on a button.',
      ['upscale 2', 'repaint'],
    ),
  }),
  'What the reference client does. Steps follow one another; the tasks of one step run at the same time.',
  { flow: 'video', prompt: 'a kite', n: 2 },
)
