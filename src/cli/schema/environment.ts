import type { Standing } from './ends.ts'

/** What a variable means, by its name: the rows of `help environment`. */
export type Variables = readonly (readonly [name: string, meaning: string])[]

const placed = ['SLUICE_HOME', 'XDG_', 'NO_COLOR', 'SLUICE_PROFILE']
const asked = [
  'SLUICE_BASE_URL',
  'SLUICE_LEGACY_BASE_URL',
  'SLUICE_API_KEY',
  'SLUICE_RPC_',
  'SLUICE_PRICES_URL',
  'SLUICE_ANVIL',
]
const signing = ['SLUICE_PRIVATE_KEY', 'SLUICE_PASSWORD', 'SLUICE_SIGNER_URL', 'SLUICE_LEDGER_SPECULOS']

/** The variables that a command heeds, of those that there are. */
export function environmentOf(
  all: Variables,
  standing: Standing,
  signs: boolean,
): { name: string; meaning: string }[] {
  const heeded = [
    ...placed,
    ...(standing === 'settings' ? [] : standing === 'sandbox' ? ['SLUICE_ANVIL'] : asked),
    ...(signs ? signing : []),
  ]
  return all
    .filter(([name]) => heeded.some((one) => name.startsWith(one)))
    .map(([name, meaning]) => ({ name, meaning }))
}
