// What is cut or relative is told in full: to the pointer, to the keyboard, and to a finger. Filters are one stop of the keyboard.
import { assert, journey, open, origin, violations } from '../harness.mjs'

await journey(async (page, context) => {
  const tip = (on) => on.getByRole('tooltip')
  await page.getByRole('link', { name: 'acme/shop' }).waitFor()
  const time = page.locator('table.applications time').first()
  const why = page.locator('table.applications .why a').first()
  await time.locator('xpath=self::*[@tabindex="0"]').waitFor() // tips come after the first page
  await time.focus()
  await tip(page).getByText(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC$/).waitFor()
  assert.notEqual(await time.getAttribute('aria-describedby'), null)
  await page.keyboard.press('Escape')
  await tip(page).waitFor({ state: 'detached' })
  await why.hover()
  await tip(page).waitFor()
  assert.equal(await tip(page).innerText(), await why.innerText())
  for (const colorScheme of ['light', 'dark']) {
    await page.emulateMedia({ colorScheme })
    assert.deepEqual(await violations(page), [], `a tip, ${colorScheme}`)
  }

  const unwell = page.getByRole('button', { name: 'unwell', exact: true })
  await unwell.focus()
  await page.keyboard.press('ArrowRight')
  await page.keyboard.press('Space')
  await page.waitForURL(/phase=/)
  assert.equal(await page.locator('.phases [aria-pressed="true"]').count(), 1)

  const touching = await context.browser().newContext({ hasTouch: true, viewport: { width: 400, height: 800 }, storageState: await context.storageState() })
  const phone = await touching.newPage()
  await open(phone, '/applications/acme/shop/history')
  const commit = phone.locator('main .commit').first()
  await phone.locator('main .commit[tabindex="0"]').first().waitFor()
  await commit.tap()
  await tip(phone).getByText(/^[0-9a-f]{40}$/).waitFor()
  await phone.locator('.foot').tap()
  await tip(phone).waitFor({ state: 'detached' })
  assert.equal(new URL(phone.url()).origin, origin)
  await touching.close()
})
