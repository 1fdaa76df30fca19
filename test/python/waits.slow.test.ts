import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, it, onTestFinished } from 'vitest'
import { startServer } from '../../src/server/index.ts'
import { pythonFolder, pythonPrograms, pythons } from '../support/python.ts'

/** How long each wait of waits.py takes, in virtual milliseconds. */
const expected = `
wait_on_condition 7000
wait_for_event_of_thread 11000
join_threads 9000
get_from_queue 4000
time_out_of_queue 13000
time_out_of_simple_queue 2500
acquire_lock 8000
acquire_semaphore 5000
pass_barrier 6000
map_in_pool 10000
time_out_of_future 30000
sleeping 20000
waiting_for 12000
in_executor 15000
streaming 6000
child_of_loop 17000
run_child 40000
time_out_of_child 25000
run_shell 21000
wait_for_fork 14000
time_out_of_socket 18000
serve_in_thread 16000
time_out_of_accept 19000
use_select 22000
use_poll 23000
use_selector 24000
read_pipe 26000
wait_with_unread_pipe 7300000
read_in_loop 0
ring_alarm 27500
pause_for_signal 28000
wait_for_signal 29000
read_dates 3600000
loop_until 50
poll_without_wait 1000
sum_floats 1000
`

for (const [version, program] of pythons)
  it.skipIf(program === undefined)(
    `waits by each module of the standard library for exact virtual time in Python ${version}${program ? '' : ' (skipped: not installed)'}`,
    { timeout: 60_000 },
    async () => {
      const server = await startServer({ port: 0, clock: { mode: 'auto', start: '2030-01-01' } })
      onTestFinished(() => server.close())
      const env = { PATH: process.env['PATH'], GREENROOM_URL: server.url, PYTHONPATH: pythonFolder }
      const { stdout, stderr } = await promisify(execFile)(program!, [join(pythonPrograms, 'waits.py')], {
        env,
      })
      const [waits = '', random = ''] = stdout.split('random')
      expect(waits.trim()).toBe(expected.trim())
      expect(random).toMatch(/^ 0\.613282422836\d+ 0\.27499271418\d+\n$/)
      expect(stderr.replaceAll(/.*DeprecationWarning.*\n.*\n/g, '')).toBe('')
    },
  )
