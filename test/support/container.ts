import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

/** The part of Docker's command line that the tests use, by a real engine that keeps its images in a folder of its own. */
export interface Engine {
  readonly name: string
  /** Runs a command, such as `run('ps')`. Throws if it fails. */
  run(...args: readonly string[]): string
  /** The exit code of a command. */
  status(...args: readonly string[]): number | null
  /** A folder with a program `docker`, for commands as users write them. */
  readonly path: string
  /** Ends what runs, and removes all of it. */
  remove(): void
}

/** podman without systemd, cgroups of its own and network: what it needs to run in another container. */
const podmanFlags = ['--runtime', 'runc', '--cgroup-manager', 'cgroupfs', '--events-backend', 'none']
const limits = ['--ulimit', 'nofile=1024:1024', '--ulimit', 'nproc=1000:1000']

/** Returns an engine that can build and run, or why there is none. */
export function findEngine(): Engine | string {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return 'Linux and its root user'
  for (const program of ['podman', 'runc']) if (spawnSync(program, ['--version']).status !== 0) return program
  // A short name: podman takes no runroot of more than 50 characters.
  const folder = mkdtempSync(join(tmpdir(), 'podman-'))
  const flags = [...podmanFlags, '--root', join(folder, 'storage'), '--runroot', join(folder, 'run')]
  // vfs works everywhere, but copies the whole image for each container. overlay needs a file system that carries it.
  const hasOverlay = spawnSync('podman', [...flags, '--storage-driver', 'overlay', 'info']).status === 0
  if (!hasOverlay) rmSync(join(folder, 'storage'), { recursive: true, force: true })
  flags.push('--storage-driver', hasOverlay ? 'overlay' : 'vfs')
  const spawn = (args: readonly string[]): ReturnType<typeof spawnSync> =>
    spawnSync(join(folder, 'docker'), args, { encoding: 'utf8', maxBuffer: 1e8 })
  // Docker's own words; what differs is added.
  writeFileSync(
    join(folder, 'docker'),
    `#!/bin/sh
command=$1
shift
case $command in
  build) set -- --isolation chroot --network host --layers=false --format docker --build-arg BASE=${baseImage} "$@" ;;
  run)
    case " $* " in *' --network '*) ;; *) set -- --network none "$@" ;; esac
    set -- ${limits.join(' ')} "$@"
    ;;
esac
exec podman ${flags.join(' ')} "$command" "$@"
`,
    { mode: 0o755 },
  )
  const engine: Engine = {
    name: 'podman',
    path: folder,
    run: (...args) => {
      const { status, stdout, stderr } = spawn(args)
      if (status !== 0) throw new Error(`${args.join(' ')} ended with ${status}:\n${stdout}${stderr}`)
      return String(stdout).trim()
    },
    status: (...args) => spawn(args).status,
    remove: () => {
      spawn(['rm', '--all', '--force', '--time', '0'])
      // podman leaves its folder of layers mounted, and a mounted folder can't be removed.
      spawnSync('umount', ['--lazy', join(folder, 'storage/overlay')])
      rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
    },
  }
  importBase(engine, join(folder, 'base'))
  const works = spawn(['run', '--rm', baseImage, 'node', '--version'])
  if (works.status === 0) return engine
  engine.remove()
  return `a podman that can run a container: ${String(works.stderr).trim()}`
}

/** Stands for node:22-slim: a root file system of the programs of this machine, since no registry of images is needed then. */
export const baseImage = 'localhost/greenroom-base:1'

const programs = 'sh ls cat mkdir chown chmod rm ln cp mv tar gzip id env sleep touch'.split(' ')
const lateLibraries = [
  'librt.so.1',
  'libdl.so.2',
  'libpthread.so.0',
  'libresolv.so.2',
  'libnss_dns.so.2',
  'libnss_files.so.2',
]

function importBase(engine: Engine, base: string): void {
  const output = (command: string, ...args: string[]): string =>
    spawnSync(command, args, { encoding: 'utf8' }).stdout.trim()
  const copy = (from: string, to: string): void => {
    mkdirSync(dirname(join(base, to)), { recursive: true })
    cpSync(from, join(base, to), { recursive: true, dereference: true })
  }
  for (const folder of ['tmp', 'var/tmp', 'dev', 'proc', 'sys', 'root', 'usr/local/bin', 'etc'])
    mkdirSync(join(base, folder), { recursive: true })
  const binaries = [process.execPath]
  copy(process.execPath, 'usr/bin/node')
  for (const program of programs) {
    const path = output('sh', '-c', `command -v ${program}`)
    binaries.push(path)
    copy(path, `bin/${program}`)
  }
  const linked = binaries.flatMap((path) => output('ldd', path).match(/\/\S+/g) ?? [])
  const libc = linked.find((path) => path.includes('/libc.so'))!
  const late = lateLibraries.map((name) => join(dirname(libc), name))
  for (const library of new Set([...linked, ...late])) if (existsSync(library)) copy(library, library)
  const npm = join(output('npm', 'root', '--global'), 'npm')
  copy(npm, 'usr/lib/node_modules/npm')
  symlinkSync('../lib/node_modules/npm/bin/npm-cli.js', join(base, 'usr/bin/npm'))
  symlinkSync('/bin/env', join(base, 'usr/bin/env'))
  // Where this machine has certificates and settings of npm that reach a registry, the build needs them, too.
  for (const path of [output('npm', 'config', 'get', 'globalconfig'), '/etc/ssl/certs/ca-certificates.crt'])
    if (existsSync(path)) copy(path, path)
  writeFileSync(
    join(base, 'etc/passwd'),
    'root:x:0:0:root:/root:/bin/sh\nnode:x:1000:1000::/home/node:/bin/sh\n',
  )
  writeFileSync(join(base, 'etc/group'), 'root:x:0:\nnode:x:1000:\n')
  const archive = `${base}.tar`
  if (spawnSync('tar', ['-C', base, '-cf', archive, '.']).status !== 0)
    throw new Error(`tar failed for ${base}`)
  engine.run('import', '--change', 'ENV PATH=/usr/local/bin:/usr/bin:/bin', archive, baseImage)
  rmSync(base, { recursive: true })
  rmSync(archive)
}
