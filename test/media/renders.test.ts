import { expect, it, vi } from 'vitest'
import { nodeMedia } from '../../src/media/node.ts'
import { Renders } from '../../src/media/renders.ts'
import { specOf } from './clips.ts'

function renders(changes: Partial<ConstructorParameters<typeof Renders>[0]> = {}) {
  return new Renders<string>({ atOnce: 1, mostWanted: 2, mostForeseen: 2, ...changes })
}

/** Work that ends when told to. */
function work(result: string) {
  let finish = () => {}
  const begun = vi.fn(() => new Promise<string>((resolve) => (finish = () => resolve(result))))
  return { begun, finish: () => finish() }
}

const turn = () => new Promise((resolve) => setImmediate(resolve))

it('does work once that is wanted by many at once', async () => {
  const line = renders()
  const one = work('a')

  const all = [line.want('key', one.begun), line.want('key', one.begun), line.foresee('key', one.begun)]
  one.finish()

  expect(await Promise.all(all)).toEqual(['a', 'a', 'a'])
  expect(one.begun).toHaveBeenCalledOnce()
})

it('does what is wanted before what is foreseen, even if it was foreseen itself', async () => {
  const line = renders()
  const order: string[] = []
  const job = (name: string) => async () => {
    order.push(name)
    await turn()
    return name
  }

  const all = [
    line.want('first', job('first')),
    line.foresee('foreseen 1', job('foreseen 1')),
    line.foresee('foreseen 2', job('foreseen 2')),
    line.want('wanted', job('wanted')),
    line.want('foreseen 2', job('never')),
  ]
  await Promise.all(all)

  expect(order).toEqual(['first', 'wanted', 'foreseen 2', 'foreseen 1'])
})

it('foresees nothing while somebody waits, or when enough is foreseen', () => {
  const line = renders()
  void line.want('runs', work('').begun)
  void line.foresee('1', work('').begun)
  void line.foresee('2', work('').begun)
  expect(line.foresee('3', work('').begun)).toBeUndefined()

  const other = renders()
  void other.want('runs', work('').begun)
  void other.want('waits', work('').begun)
  expect(other.foresee('1', work('').begun)).toBeUndefined()
})

it('turns away whom it can not serve in time', async () => {
  const line = renders()
  for (const key of ['runs', 'waits', 'waits, too']) void line.want(key, work('').begun)

  await expect(line.want('more', work('').begun)).rejects.toThrow(
    /2 others are waiting already.*fewer at a time/,
  )
})

it('goes on after a failure, and tries again when asked again', async () => {
  const line = renders()

  await expect(line.want('key', () => Promise.reject(new Error('no luck')))).rejects.toThrow('no luck')

  expect(await line.want('key', async () => 'fine')).toBe('fine')
})

it('turns away who waits when it closes', async () => {
  const line = renders()
  const running = work('done')
  const first = line.want('runs', running.begun)
  const second = line.want('waits', work('').begun)

  line.close()
  running.finish()

  await expect(second).rejects.toThrow(/closed meanwhile/)
  expect(await first).toBe('done')
  await line.idle()
  await expect(line.want('late', work('').begun)).rejects.toThrow(/is closed/)
})

it('renders a clip once that is wanted twice and foreseen', async () => {
  const media = nodeMedia({ ffmpeg: 'wasm', cacheDir: false })
  try {
    const spec = specOf({ width: 64, height: 48, seconds: 1 })

    const foreseen = media.prefetch(spec)
    const [a, b] = await Promise.all([media.clip(spec), media.clip({ ...spec })])

    expect(a).toBe(b)
    expect(await foreseen).toBe('ready')
    expect(await media.prefetch({ ...spec, quality: 'fast' })).toBe('skipped')
  } finally {
    await media.close()
  }
})
