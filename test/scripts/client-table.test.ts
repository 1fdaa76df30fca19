import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { listClients } from '../../scripts/client-table.js'

const text = readFileSync(new URL('../../docs/reference/sdks.md', import.meta.url), 'utf8')

it.each(listClients())(
  'docs/reference/sdks.md lists the client $name with its versions and steps',
  ({ name, packages }) => {
    const row = text.split('\n').find((line) => line.startsWith(`| \`${name}\` |`))
    const [, , versions = '', steps = ''] = row?.split('|') ?? []
    expect(packages.filter((each) => !versions.includes(`\`${each}\``))).toEqual([])
    expect(steps).toMatch(/plain|video/)
    expect(steps).toContain('error class')
  },
)
