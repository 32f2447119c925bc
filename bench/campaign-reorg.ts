import { campaignArguments, campaignEnds } from './arguments.ts'
import { reorgCampaign, reorgCell } from './reorg.ts'

// Reorganisations of 1 to 64 blocks on real nodes: the actual payments, compared with the payments that the program reports.
const { cells, seed, cell: only, sabotage } = campaignArguments(600, 1, ['trust-first-receipt'])
const numbers = only === undefined ? Array.from({ length: cells }, (_, cell) => cell) : [only]
let wrong = 0
const all = await reorgCampaign(
  numbers.map((cell) => reorgCell(seed, cell)),
  {
    sabotage,
    said: ({ cell, told, wrong: what }) => {
      if (what.length > 0) wrong++
      if (what.length === 0 && only === undefined) return
      const replay = `--seed ${seed} --cell ${cell}${sabotage === undefined ? '' : ` --sabotage ${sabotage}`}`
      console.log(`${what.join('; ') || 'right'}\n  ${told}\n  npm run campaign:reorg -- ${replay}`)
    },
  },
)
campaignEnds('reorg', all.length, wrong, seed)
