import { yearNames } from '../test/protocols/year/year-names.ts'
import { campaignArguments } from './arguments.ts'
import { vitestCampaign } from './vitest-campaign.ts'

// A year of daily touches in every market whose own contracts run here: to the wei, and at the rate that was stated. A seed draws the deposits.
const asked = campaignArguments(yearNames.length)
process.env.SLUICE_YEAR = 'daily'
await vitestCampaign('year', {
  file: 'test/protocols/year/year.test.ts',
  under: 'a year of a deposit',
  ...asked,
})
