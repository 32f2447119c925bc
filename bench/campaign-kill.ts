import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { programHome } from '../test/support/spawn-program.ts'
import { campaignArguments, campaignEnds } from './arguments.ts'
import { killCampaign } from './kill.ts'
import { type KillCell, killMatrix } from './matrix.ts'
import { shuffledMatrix } from './matrix-data.ts'
import { seeded } from './seeded.ts'

/*
 * Processes killed by SIGKILL and resumed, on real nodes: one cell in fifty is a deposit by the whole program; of the
 * others, half are killed at a point of the matrix under node faults, half at a random time.
 */
const known = ['persist-after-send', 'resign-on-nonce-low']
const { cells, seed, cell: only, sabotage } = campaignArguments(1_000, 1, known)
const isProgram = (cell: number) => sabotage === undefined && cell % 50 === 49
const shuffled = shuffledMatrix(seed)
const cellOf = (cell: number): KillCell => {
  if (cell % 2 === 0) return { cell, ...shuffled[(cell / 2) % shuffled.length]! }
  // The cells of one process share one time.
  const ms = Math.floor(seeded(seed * 1_000_003 + Math.floor(cell / 20))() * 900)
  return { cell, ms, steps: 1 + Math.floor(seeded(seed * 1_000_003 + cell)() * 3) }
}

let wrong = 0
const numbers = only === undefined ? Array.from({ length: cells }, (_, cell) => cell) : [only]
const said = (told: string, cell: number, what: readonly string[]) => {
  if (what.length > 0) wrong++
  if (what.length === 0 && only === undefined) return
  const replay = `npm run campaign:kill -- --seed ${seed} --cell ${cell}${sabotage === undefined ? '' : ` --sabotage ${sabotage}`}`
  console.log(`${what.join('; ') || 'right'}\n  ${told}\n  ${replay}`)
}

const byNow = numbers.filter((cell) => !isProgram(cell)).map(cellOf)
const placed = byNow.filter((cell) => 'rule' in cell)
const timed = byNow.filter((cell) => !('rule' in cell))
const killed = await killMatrix([...placed, ...timed], {
  sabotage,
  said: ({ told, cell, wrong: what }) => said(told, cell, what),
})
let ran = killed.length

const whole = numbers.filter(isProgram)
if (whole.length > 0) {
  const home = programHome(join(tmpdir(), `sluice-test-cache-${userInfo().uid}`))
  try {
    const all = await killCampaign(home, {
      cells: whole.length,
      seed,
      said: ({ cell, killedAtMs, signedAtKill, wrong: what }) =>
        said(
          `a deposit killed at ${killedAtMs.join(', ')} ms with ${signedAtKill.join(', ')} of 2 signed`,
          whole[cell]!,
          what,
        ),
    })
    ran += all.length
  } finally {
    await home.end()
  }
}
const signed = killed.filter(({ attemptsAtKill }) => attemptsAtKill > 0).length
console.log(
  `${placed.length} at a place, ${timed.length} by the clock, ${whole.length} deposits; ${signed} had signed`,
)
campaignEnds('kill', ran, wrong, seed)
