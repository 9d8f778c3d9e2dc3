// What the merge of a branch would do: who is refused and who is helped, what it costs whom, who approves, and each line.
import { answer, assert, journey, keep, open, picture, settled, violations } from '../harness.mjs'

await journey(
  async (page) => {
    await page.getByRole('link', { name: 'Pull request' }).click()
    const choice = page.getByRole('combobox', { name: 'Branch' })
    const planned = await answer(page, (r) => r.url().includes('/plan?head=feature'), () => choice.selectOption('feature/quota'))
    keep('plan.json', planned)
    await page.getByText('This would be refused').waitFor()
    await page.waitForURL(/\/plan\?head=feature%2Fquota$/)
    await settled(page)
    const effects = page.locator('table.effects-of-plan tbody tr')
    assert.match(await effects.first().innerText(), /acme\/site\s+refused/, 'what is refused comes first')
    assert.match(await page.getByRole('row', { name: /globex\/analytics/ }).innerText(), /neighbour\s+admitted/)
    assert.match(await page.locator('table.touched').innerText(), /globex\s+[\d.]+ → [\d.]+/, 'a price before and after')
    assert.match(await page.locator('table.touched').innerText(), /cpu 11\.5 → /, 'what is left of the quota before and after')
    await page.getByText('tenants/acme/apps/site/app.cue:', { exact: false }).first().waitFor()
    assert.match(await page.locator('pre.diff').first().textContent(), /^--- a\/.+\n\+\+\+ b\/.+\n@@ /)
    for (const colorScheme of ['light', 'dark']) {
      await page.emulateMedia({ colorScheme })
      assert.deepEqual(await violations(page), [])
      await picture(page, `pull-request-${colorScheme}`)
    }

    await choice.selectOption('apart')
    await page.getByText('main and apart have no commit in common here', { exact: false }).waitFor()
    await choice.selectOption('<img/src=x/onerror=alert(1)>')
    await page.getByText('Nothing changes', { exact: true }).waitFor()
    await choice.selectOption('bomb')
    await page.getByText('DA', { exact: false }).first().waitFor()
    await page.getByText('acme/site', { exact: false }).first().waitFor()
    await open(page, '/plan?head=nothing')
    await page.getByText('names no branch of this clone', { exact: false }).waitFor()
  },
  { allowed: [/status of 40[04]/, /status of 409/] },
)
