import { Command } from 'commander'
import { expect, test } from 'vitest'
import { leavesOf, wordsOf } from '../../../src/cli/options/command-tree-queries.ts'
import { commands } from '../../../src/commands/index.ts'

const exchange = ['--max-service-fee', '--max-price-impact']
const approval = ['--revoke-on-failure', '--exact-allowance']

/** The commands that make transactions, with the signing options that would change nothing for each. */
const useless: Readonly<Record<string, readonly string[]>> = {
  deposit: [],
  withdraw: [],
  'swap execute': [],
  'action submit': ['--nonce'],
  'action revoke': [...exchange, ...approval],
  'wallet approvals revoke': [...exchange, ...approval],
  transfer: [...exchange, ...approval, '--pipeline'],
  'action deliver': [...exchange, ...approval, '--pipeline', '--allow-token'],
}

test('each command that makes transactions offers the signing options that change something, and no others', async () => {
  const program = new Command('sluice')
  for (const { load } of commands) program.addCommand((await load())({} as never))
  const offered = new Map(
    leavesOf(program)
      .map((one) => [wordsOf(one), one.options.flatMap(({ long }) => long ?? [])] as const)
      .filter(([, flags]) => flags.includes('--min-assurance')),
  )
  expect([...offered.keys()].toSorted()).toEqual(Object.keys(useless).toSorted())
  const every = [
    '--nonce',
    '--pipeline',
    '--allow-token',
    '--allow-contract',
    '--queue-behind',
    ...exchange,
    ...approval,
  ]
  for (const [name, flags] of offered)
    expect([name, every.filter((flag) => !flags.includes(flag)).toSorted()]).toEqual([
      name,
      [...useless[name]!].toSorted(),
    ])
})
