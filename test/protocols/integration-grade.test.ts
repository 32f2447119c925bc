import { expect, test } from 'vitest'
import { filesOf } from '../../src/app/profiles/catalog-of-configured-networks.ts'
import { publicNetworks } from '../../src/domain/networks.ts'
import { gradeOf, grades } from '../../src/protocols/registry.ts'
import { useCommands } from '../support/use-commands.ts'
import { useSandbox } from '../support/use-sandbox.ts'

const sandbox = useSandbox()
const { run } = useCommands(sandbox)

test('at least six protocols have grade A and three have grade B', () => {
  const count = (letter: string) => Object.values(grades).filter(({ grade }) => grade === letter).length
  expect([count('A') >= 6, count('B') >= 3]).toEqual([true, true])
})

test("a grade names the protocol whose bytecode was tested when it is not the market's own protocol", async () => {
  const found = (await filesOf(publicNetworks)).flatMap(({ strategies }) => strategies)
  const byProtocol = new Map(
    found.map((entry) => [`${entry.constants.family} ${entry.protocol}`, gradeOf(entry)]),
  )
  const own = [...byProtocol]
    .filter(([, { grade, by }]) => grade === 'A' && !by.startsWith('of '))
    .map(([name]) => name)
  expect(own.filter((name) => !name.startsWith('morpho morpho-')).toSorted()).toEqual([
    'aave-v3 aave-v3',
    'aave-v3 aave-v3-etherfi',
    'aave-v3 aave-v3-prime',
    'across across',
    'compound-v2 venus',
    'pendle-pt pendle-pt-30dec2027',
  ])
  const words = (name: string) => byProtocol.get(name)!.by
  expect(words('aave-v3 spark')).toMatch(/^of Aave v3, from which this protocol was forked: @aave/)
  for (const fork of ['moonwell', 'benqi'])
    expect(words(`compound-v2 ${fork}`)).toMatch(/^of Venus, .*fork of Compound v2: @venus/)
  for (const vault of ['sky', 'spark-savings', 'euler-k3-prime', 'morpho-gauntlet-prime-v2'])
    expect(words(`erc4626 ${vault}`)).toMatch(/^of Morpho's vault, .* same standard: @morpho/)
})

test('contracts written for the sandbox have no grade A, and their grade says so', async () => {
  const shown = async (slug: string) => (await run(`strategies show ${slug} --json`)).json.grade
  expect(await shown('aave-v3-usdc-sandbox-one')).toMatchObject({ grade: 'A' })
  for (const protocol of ['sandbox-vault-usdc', 'sandbox-staking-weth'])
    expect(await shown(`${protocol}-sandbox-one`)).toEqual({
      grade: 'C',
      by: 'the contract exists only in the sandbox',
    })
  expect(await shown('sandbox-lido-eth-sandbox-one')).toEqual({
    grade: 'B',
    by: '@lidofinance/lido-ethereum-sdk 4.9.0; the contract exists only in the sandbox',
  })
  expect((await run('strategies show sandbox-vault-usdc-sandbox-one', { columns: 200 })).out).toContain(
    'C: built from the published interface (the contract exists only in the sandbox)',
  )
})
