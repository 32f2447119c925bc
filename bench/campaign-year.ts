import { yearNames } from '../test/protocols/year/year-names.ts'
import { campaignArguments } from './arguments.ts'
import { vitestCampaign } from './vitest-campaign.ts'

// A year of daily actions in every market whose contracts run here: exact values, at the stated rate. The seed draws the deposits.
const asked = campaignArguments(yearNames.length)
process.env.SLUICE_YEAR = 'daily'
await vitestCampaign('year', {
  files: ['test/protocols/year/year.test.ts'],
  under: 'a year of a deposit',
  ...asked,
})
