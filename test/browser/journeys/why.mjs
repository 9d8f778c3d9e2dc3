// From the first page to why an application does not run, with the line to change, in two clicks.
import { answer, assert, journey, keep, picture, settled } from '../harness.mjs'

await journey(async (page) => {
  const explained = await answer(page, (r) => r.url().endsWith('/applications/globex/analytics/decision'), () =>
    page.getByRole('link', { name: 'globex/analytics' }).click())
  keep('explain.json', explained)
  await settled(page)
  assert.match(await page.locator('.sentence').innerText(), /asks for 24000m cpu, tenant globex has 11500m of 16000m left/i)
  const failed = page.getByRole('row', { name: /quota\.cpu.*short of 12500m/ })
  assert.match(await failed.innerText(), /allotments\.cue:22:18/)

  await page.getByRole('link', { name: 'The whole decision, and what would admit it' }).click()
  await page.getByText('raise quota.cpu of tenant globex to 28500m').waitFor()
  await page.getByText('1 of 9 fail').waitFor()
  await picture(page, 'decision')

  await page.goBack()
  await page.goBack()
  await page.getByRole('heading', { level: 1, name: /^Fleet / }).waitFor()
  await page.getByRole('link', { name: /^asks for 24000m cpu/ }).click()
  await page.getByText('raise quota.cpu of tenant globex to 28500m').waitFor() // the reason leads straight to it
})
