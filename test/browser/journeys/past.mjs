// Scrubbing: every page is as of an earlier moment, says so, says what differs, and leads back.
import { assert, journey, open, picture } from '../harness.mjs'

await journey(async (page) => {
  await open(page, '/timeline')
  const scrubber = page.getByRole('slider', { name: 'Moment' })
  await scrubber.focus()
  await scrubber.press('Home')
  await page.waitForURL(/[?&]at=[0-9a-f]{40}/)
  const past = page.getByRole('complementary', { name: 'An earlier moment' })
  await past.getByText(/applications have another phase or grant now/).waitFor()
  await picture(page, 'timeline')

  await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Fleet' }).click()
  await page.getByRole('row', { name: /acme\/shop.*Scheduled/ }).waitFor()
  await page.getByRole('link', { name: 'acme/shop' }).click()
  await page.getByRole('heading', { level: 1, name: /acme\/shop.*Scheduled/ }).waitFor()
  assert.match(page.url(), /at=[0-9a-f]{40}/, 'links keep the moment')
  await past.getByText(/applications have another phase or grant now/).click()
  await past.getByText('acme/shop').waitFor()

  await past.getByRole('link', { name: 'Back to now' }).click()
  await page.getByRole('heading', { level: 1, name: /acme\/shop.*Running/ }).waitFor()
  assert.doesNotMatch(page.url(), /at=/)
})
