import { videoDefaults } from '../../apis/video/settings.ts'
import { pickServerFlags } from '../serve/server-flags.ts'
import { exitCodes, type Command } from '../terminal/command.ts'

const { seconds, size, framesPerSecond, rendered } = videoDefaults

/** `greenroom render`: one clip in a file, for fixtures. */
export const render: Command = {
  name: 'render',
  summary: 'Render a clip to a file',
  options: {
    prompt: { type: 'string', demandOption: true, describe: 'What the clip shows' },
    out: { type: 'string', demandOption: true, describe: 'File to write, such as clip.mp4' },
    force: { type: 'boolean', describe: 'Replace the file if it exists' },
    model: { type: 'string', describe: 'Model; each has its own look  [default: video-1]' },
    size: {
      type: 'string',
      describe: `WIDTHxHEIGHT, sides from ${rendered.minSide} to ${rendered.maxSide}  [default: ${size.default}]`,
    },
    seconds: {
      type: 'number',
      nargs: 1,
      describe: `Length, ${seconds.min} to ${rendered.seconds}  [default: ${seconds.default}]`,
    },
    fps: {
      type: 'number',
      nargs: 1,
      describe: `Frames per second, 1 to 60  [default: ${framesPerSecond.full}, ${framesPerSecond.fast} in quality fast]`,
    },
    image: { type: 'string', describe: 'Image to animate' },
    ...pickServerFlags(['seed', 'quality', 'caption', 'ffmpeg', 'cache-dir', 'cache']),
  },
  epilogue: [
    'The same flags render the same clip. Directives in the prompt, such as [[stuck]], are removed.',
    `Exit codes: ${exitCodes.usage} wrong flag, ${exitCodes.badFile} a file can't be read or written, ${exitCodes.cannotStart} the clip could not be rendered, ${exitCodes.interrupted} interrupted.`,
  ],
  run: async ({ flags }, terminal) => {
    const { renderClip } = await import('./render-clip.ts')
    return renderClip(flags, terminal)
  },
}
