import { expect, it } from 'vitest'
import { allowedHosts } from '../../src/engine/hosts.ts'

it('knows a named host however it is written', () => {
  const names = ['Pictures.Internal', 'dotted.test.', '127.1', '::1', '[fd00:0::1]', 'bücher.test']
  expect([...allowedHosts(names)]).toEqual([
    'pictures.internal',
    'dotted.test',
    '127.0.0.1',
    '::1',
    'fd00::1',
    'xn--bcher-kva.test',
  ])
})

it.each(['http://a.test', 'a.test:80', 'a.test/x', '10.0.0.0/8', '*.test', '', 'a b', 'u@a.test'])(
  'refuses "%s", which is more or less than a host',
  (name) => {
    expect(() => allowedHosts([name])).toThrow(/".*" is no host: give a host name or an IP address alone/)
  },
)
