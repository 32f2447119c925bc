# Completion of sluice for PowerShell. Put into $PROFILE: sluice completion powershell | Out-String | Invoke-Expression
Register-ArgumentCompleter -Native -CommandName sluice -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)
    $words = @($commandAst.CommandElements | Where-Object { $_.Extent.StartOffset -lt $cursorPosition } | ForEach-Object { $_.ToString() })
    if ($wordToComplete -eq '') { $words += '' }
    $lines = & $words[0] __complete -- @($words | Select-Object -Skip 1) 2>$null
    foreach ($line in $lines) {
        if ($line -match '^:\d+$') { continue }
        $value, $text = $line -split "`t", 2
        if (-not $text) { $text = $value }
        [System.Management.Automation.CompletionResult]::new($value, $value, 'ParameterValue', $text)
    }
}
