// Fetches the program of ffmpeg-static, for those who want clips at native speed. greenroom works without it.
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

process.exitCode = setUp()

/** @returns {number} an exit status */
function setUp() {
  const folder = folderOfPackage()
  if (!folder) {
    return fail(
      'The package ffmpeg-static is not installed: npm leaves it out where its download fails.\n' +
        'Install it with: npm install --no-save --ignore-scripts ffmpeg-static@5.3.0\n' +
        'and then run this again.',
    )
  }
  const program = join(folder, process.platform === 'win32' ? 'ffmpeg.exe' : 'ffmpeg')
  if (!existsSync(program)) {
    console.log(`Fetching ffmpeg into ${folder} …`)
    // FFMPEG_BIN would have it put elsewhere, where greenroom does not look.
    const { FFMPEG_BIN: _elsewhere, ...environment } = process.env
    const options = /** @type {const} */ ({ stdio: 'inherit', env: environment })
    const { status } = spawnSync(process.execPath, [join(folder, 'install.js')], options)
    if (status !== 0 || !existsSync(program)) {
      return fail(
        'ffmpeg could not be fetched: its download comes from github.com.\n' +
          'Set FFMPEG_BINARIES_URL to a mirror of it, or start greenroom with --ffmpeg and the path of an\n' +
          'ffmpeg that has libx264. Without either, greenroom uses the encoder it brings along (wasm).',
      )
    }
  }
  const { status, stdout } = spawnSync(program, ['-hide_banner', '-encoders'], { encoding: 'utf8' })
  if (status !== 0 || !/\blibx264\b/.test(stdout)) {
    return fail(`${program} is there, but does not run here or lacks libx264. greenroom will not use it.`)
  }
  console.log(`${program} works: greenroom takes it from now on, unless --ffmpeg says otherwise.`)
  return 0
}

function folderOfPackage() {
  try {
    return dirname(createRequire(import.meta.url).resolve('ffmpeg-static/package.json'))
  } catch {
    return undefined
  }
}

/** @param {string} message */
function fail(message) {
  console.error(message)
  return 1
}
