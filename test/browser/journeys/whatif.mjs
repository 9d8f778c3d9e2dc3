// What a slider answers is what the command answers, neighbours included; the newest question wins.
import { answer, assert, journey, keep, open, picture, violations } from '../harness.mjs'

await journey(async (page) => {
  const asked = (r) => r.url().endsWith('/what-if')
  await open(page, '/applications/initech/simulation/decision')
  const tried = await answer(page, asked, () => page.getByRole('button', { name: 'Try it: give pool batch 16 cpu more' }).click())
  keep('remedy.json', tried)
  const plan = page.locator('.plan:not(.stale)')
  await plan.getByText('everything it asks for is granted in pool batch').first().waitFor()
  assert.match(await plan.innerText(), /Its neighbours\s+none is touched/)
  await page.getByText('reconciler what-if --capacity batch.cpu=+16').waitFor()
  await picture(page, 'what-if')
  await page.getByRole('link', { name: 'Edit it: give pool batch 16 cpu more' }).click()
  await page.getByRole('heading', { level: 1, name: 'Edit the platform' }).waitFor()
  await page.waitForFunction(() => document.activeElement?.closest('[data-field="pools.batch.capacity.cpu"]') !== null)

  await open(page, '/applications/globex/analytics/decision')
  const slider = page.getByRole('slider', { name: 'quota of cpu' })
  await slider.focus()
  const answered = []
  page.on('response', (r) => asked(r) && answered.push(r))
  for (let i = 0; i < 60; i++) await slider.press('ArrowRight')
  const last = await slider.getAttribute('aria-valuetext')
  await page.locator('.plan:not(.stale)').getByText('Rejected → Scheduled').waitFor()
  assert.ok(Number(last) >= 28.5, `the slider stands at ${last}`)
  keep('slider.json', await answered.at(-1).body())
  keep('slider.txt', await page.locator('.answer .command code').innerText())
  await page.getByRole('button', { name: 'Put all back' }).click()
  await page.getByText('Move a slider, or try one of the changes above.').waitFor()

  await page.route('**/api/v1/what-if', async (route) => { // as where thousands are touched
    const response = await route.fetch()
    await route.fulfill(response.ok() ? { response, json: { ...(await response.json()), left: { applications: 9800, touched: 50 } } } : { response })
  })
  await page.getByRole('slider', { name: 'quota of memory' }).press('ArrowRight')
  const left = page.getByRole('note')
  await left.getByText('Not listed here: 9,800 applications and 50 tenants that are touched.').waitFor()
  assert.equal(await left.locator('code').innerText(), await page.locator('.answer .command code').first().innerText(), 'the command that lists all of them')
  await page.getByText(/^98\d\d are touched$/).waitFor()
  assert.deepEqual(await violations(page), [], 'an answer that leaves something out')

  await page.getByRole('link', { name: /^Edit it: raise quota\.cpu/ }).click()
  await page.getByRole('heading', { level: 1, name: 'Edit the platform' }).waitFor()
  await page.waitForFunction(() => document.activeElement?.closest('[data-field="allotments.globex.quota.cpu"]') !== null)
})
