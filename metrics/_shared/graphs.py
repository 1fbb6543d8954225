"""The networks of the embedded models as ONNX graphs without weights.

Written by `python -m evaluate_qa.dev.export_graphs`, which is also what to read; do not edit. They are Python text, not
files of their own, because `evaluate` copies only Python files with a metric.
"""

import base64
import hashlib
import zlib


def read_graph(name: str) -> bytes:
    """Return a graph: "matcher" or "minilm".

    Raises:
        ValueError: this file is damaged.
    """
    digest, text = _GRAPHS[name]
    try:
        graph = zlib.decompress(base64.b64decode(text))
    except (ValueError, zlib.error):
        graph = b""
    if hashlib.sha256(graph).hexdigest() != digest:
        raise ValueError(
            f"the graph {name!r} in {__file__} does not have the SHA-256 {digest}: the file is damaged. "
            "pip install --force-reinstall --no-deps evaluate-qa"
        )
    return graph


_GRAPHS = {
    "matcher": (
        "0841c495d99ec876cdd6900775bc9c31c851b6610c33f3fa04161966e104f794",
        "eNq1ndtyG7cZx01Jtij4EJtxYjttMy7jydS0LS9Oi9305DjNSY2TNEqmM0kalrLWMWuJlEUqjXPl3vSqj9CLPEXb6aQXvc3kKfoAvWgfoMVy"
        "F7vA8sMeKNA3AnYBLL4PH/74cbFI2hud09EXg72jwTS69Xjwyr/+2UKvo5d3osPpZrS/E+3uDkefTzZ/Pz7c7ev5aPj5wynaGI4Ojqb94e6k"
        "035zMH0YHfa97qkkhd5HN4vNTMePolF/+uQgAho7p93VW8RZi1x/4Pr2w4EsSbonZ4keQqvRaPfyytetld4ZdHIyHRxOL7dkDn2CesWOHIwn"
        "w+lwPIJtmvqs7/UxUo/QrsnH7g3vR30qHxsn0FWUWZ6lcOfkq7u7fdZdlX/Q91GSQ6pqcpcnd//cSm5zdLXYyXcGT6LDd8eH+6prL9pL7AwH"
        "k87FLD/YG341mBnodzvzV3sX0drgy+Hk8v/Uv9hRvQtoPTqYDPfGo+e+++ZPN75utdB1dG4wnUajWVv7g8mjzqnXBpNpX3TX4r+9DbQyHSdu"
        "fgmlt9DZB3vjwZSSPt70+l7n5PbRTj/orso/6BpKcuiZrEx0g85K3Tva64fdVfkH3UJJDp1OHI/7slznzEejyeOjKPoq6mOvu5Hl0G8QaDki"
        "ib9G98e70eHmXlxk09vM7NmcRHsPNmUbh09SD29+2Nm4N5jGz8Yy7JIkegvlF9Fm/TZnY3IqHlxMksH2UJpFF1REyZgi/dgNHfRBNJnFG6bd"
        "9TSNAqRd7pz58HAwmsjglTnW3chycuTWDqLD/Tsn7qzcad1Z/bq1jjAySqOLyuHeJha+EL4fSq+fmpnFE7d/YvGjV8fmRxHkRT/z4hu5F32l"
        "DNUtaj4Upg9FuQ8D2IeB4cPQ5sPVO63Yh9dR6h/Dl2FmHvEy815G+UVkRGrSfYKT7lOUZjtoe/xguj/4sk9Idz1NwxPzeAEeq3s0PzSEAgFO"
        "aL0AT9rMB4cwY3AIKx0cwsHBIVwfHOJXBPgtpHkQGTVzI0VmpMiNFMZzgornMKNtqVy5ZTRghl1hbtdHml0hYhVOHR9N5bq2uRuNJsBQ0TzM"
        "tlB+sXJeGq3mg0XTULyB0iwcXWnhVLq+baWlCfLrPXZu+WJN6826/BzQN0qPt6p9iuBWLR6VAy5jItodSkiyjhEDlI4yi9IBLWrjk6LBpdTj"
        "vLP+ZrR31Kd+dy1OyPmqLiiyKTRfEU75pLiTd1Uo6itrS+tkkHTyZtrJwOLStHSYlP6LiqLQ4hhb7PTqlbZGDPOOFzGfIbhVUIJxTcZgEGMw"
        "mDFwFWMwkzFYOWMwmDGYwRisEWOwUsZgKWN8anOkV8doEDIYBBkMhgxcDhnMhAxWDhkMhgxmQAarCRnMgAyWQwaHIIODkMFNyOAaZPBKyDhe"
        "iFsog0OUwWm9EC9SBjcpg5dTBocpgxuUwRtQBjcog+eUwSHK4AZl8EaUwcsog8OUwWHKwLUpw4cow6+emJYFwsfGAuFjS3ilpQuY4cOYgRfE"
        "DLwQZvhLwQyfWlxaBzN8CDN8ZtG6UszwTczwFWb4RczwYczAVfEEYYYPYwa2RpGJGX5gcWlauoAZfmhxTBPMwA0iRiwFMwSswaQmZggIMwSM"
        "GaQKM4SJGaIcMwSMGcLADNEIM0QpZohSzBCwmpFamCEgzBAwZpByzBAmZohyzBAwZggDM0RNzBAGZogcMwIIMwIQMwITMwINM4IFMaNuiFsw"
        "I4AwI6D1QryIGYGJGUE5ZgQwZgQGZgQNMCMwMCPIMSOAMCMwMCNohBlBGWYEMGYEMGaQ2pgRQpgRVk9MywIRmpgRYkt4paULmBHCmEEWxAyy"
        "EGaES8GMkFpcWgczQggzQmbRulLMCE3MCBVmhEXMCGHMIFXxBGFGCGMGsUaRiRlhYHFpWjrFjL+qKAotjmmCGcQSMc8DHcHeMTnjt8jSLKjC"
        "tAI0kHqx72FtbmtXQR2mJaixPnvF76WzlSCVh5T4dPZy39No4xWkX++c1d7fe1W8QZFZ3AIc64l1KXF8ZnWpV8d4Azly1/nauqZdBeONWqEj"
        "dZ8ouFNUuDOwuDMw3VlFHjeR8pTp1zC3E+eLwo+QdrVAH0m/cSr5HKl857RaPDGuBJBjxn6BQPLOUij2Ma0X+xqDpEYxc7AwKx8szOHBwtwY"
        "LFwFIh7SfYnMupq1ueqGmrXCfFgVjfhm+wCOaIZoPPJr3UAYSGglkGS91nbx3kHa1cqJO7+YJGOl9vpuI5W3hZyqkArddy1VA+YSuiCX0Eou"
        "AftH6HF/zVqatXi2jEzycWGQJBJmkUQbm6R+TuHkivI777RnMIKJwpMtlF0B121aGV75VLmrdRgmFGoPqqAQVIHNu6pCSil/y4IqtPioCabQ"
        "JgFEl4MpFJZqVhdTKIgpFMYUVokptIAptAJTqAVTqIkptBmm0HJMoeWYYtlNZvUwhYKYQmFMYRWYQguYQiswhVowhZqYQutiCjUxhWqYwkBM"
        "YTCmsAKmMB1T2KKYUjf2bZjCQExhtF7sz2EKK2AKq8AUZsEUZmIKa4IpzMQUpmEKAzGFmZjCmmEKK8UUZsEUBmMKq48pHMQUXj1xbSsKL2AK"
        "x7aQUxWKmMJhTGELYgpbDFP4cjCFU4tna2EKBzGFM4sklmMKL2AKzzCFz2EKhzGFVYYXiCkcxhRmD6oCpvDA5l1VoYgpPLT4qAmmsCYB5B8T"
        "U36JLM3qHxNvqE9Z9WRnI/kmGPtYfVC8jfJroNTzupjjE0jqfQJKPa/EHJ+aUu/Tcqn3GSz1PjPU1+eNMMfnpZjj+6WYY9nO5vUwR9vR1Oa0"
        "L8B45RWYo3Y2M3cGFe4MLe4MDXcKrybm+OaqJrzcTm3DUMMcgUHMURuCCnME0TAn3v9bCHN8r17s2zBHMCj2BasX+3OYI7g5WIKXD5bw4cES"
        "vjlYogHmCHMiCKFZG0CYI0wAtu8QgpgjwjLMCTwYcwIPXNl5fcwJMIQ5Aa6cuLYVKUgDtItUXlNYVYYWyCagINnwBcmGL0Y2AVsK2QTM4sxa"
        "ZBNwSAUDblHBcrIJfJNsAl+RTSCKZBMIcKnnlREVQGQTBCDZcHschSbZBKHNu2mF0CuQTehZfNSEbHiTAArx8QLIYmJoMMzpbbUmhPGv2vRQ"
        "zk+Rfh29MDPlYDzekzbYRirMf5wSpF1Fz8/X1kYmZGYQhazT/nAweihTvLsWp1BPOzqWnSryJEJ0Nl5/fDSIn+J3T86S6FbxKFpurFZcqOK3"
        "i0ek9OLotaP97aN9WV4GYZJGN+bOVLVnB6dwGBqnqjbi9fEKyjvYWX93PO0TT8aVTKAfoqweUnekR0a7MhH/tBvtxp8V5B3Q+3X6zcNITshD"
        "WVSOWZpB15CqjvQCqlGaNKp1SagusaRLV1UDVPWIqco8qXxNs8doJynlq1Iqn/qGeOaJs/XYN9dRdhPyOfFyn19H2tUcy7PxJF6oxlProUD5"
        "7bSH2Cv0kKseYjx/Ju42ym7qM+ZszlEEE/0o24+Rec9GR9mcIdq+06va01DytFuzx30Q7R7dj2bWx+fGsmzvGdR+FEUHu8P9SdLhm8gsXDzL"
        "t34vPm4zOzA2+DIOr7wboCQQ7OeScA3p15Fqq7P+i+EXMiG6qzIRx1CazxIJ3BMcJHB/F6m8Yea5pOf3osFI3gu7KM/PGypnrVlcP5F4y/P7"
        "Kd8S4hniIvOd9vbjQ+llIgc8TsmJmPU4u5UaFe/sxEapcJHYnI4RoSXhQqgtXAizhwth1eFC+Hy4yKfZwiU+hVU7XIgPhwsRc+FCOBwuJIDD"
        "hQRItaU8G5rhQsIskYYL9cxwoZ49XChuFC4U28JFbQaocKFEhQulhXCRPc5upUZRVjCKIHVDGcULRvESo/xyozYLRvnoXGaUl47f7BkieSbY"
        "q/g4L6Hp8d5LSOWlO3YmMhFD084EvYeyFRmpO7kF6jFSusej+wPpkfhNe5K2/G6UZudl0bP39waTyfDBUOLBHFYQ7ZzNDaRdRc9o1XKeIOoo"
        "zfeQyndOJdDVbb+9Gy/c0yedk58fDg4e9t5o//3frfbT1fOtuzVPzf/uAmrvje/P5qZsZfhFNDpo9bbaK0krjQ7Nw21dabfOr9/N3z1ttU+k"
        "/3pvt5+uJc9pcCYefspPknYqj63DtV9JalccaYfrXpIVTaHZWjtx4unPe1fkjeLB8q21b//z9uPeS+0V6RP9PPnW+VbqlRXlHcNxOHacKtL7"
        "lexv0uUFTpXbhnzWXsMT5XBbYXtN9nz+ncTW1ROFf2fSv+pG70XZB/CV2tbaf9f4z3rvZZY3PgcO9/UtI9DrnQGHW2o4KObLouMPSv6aCG7r"
        "dntVDkrxLcrW5eKQPE2jrLed2bPQgWG4F+/UG7y5n71wax8krS14Bhhu8/1GNtdRiCRmz1jNLnnRYY3ZM9aYtbzigFuSCnzGUOA6Z3fhpu4a"
        "607Vud0FJmOjUXyjhlV1xq58UmPHSoubKm25HGKncohdyiF2LIe4qRyWqxt2rm7YqbrhJagbXoa6Yafqhl2qG3akbtiBumFn6obdqRtxrG7E"
        "rboRp+pGXKobcaxuxK26EefqRpyqG1mCupFlqBtxqm7EpboRR+pGHKgbcaZuxJ26UcfqRt2qG3WqbtSlulHH6kbdqht1rm7UqbrRJagbXYa6"
        "UafqRl2qG3WkbtSBulFn6kbdqRtzrG7Mrboxp+rGXKobc6xuzK26MefqxpyqG1uCurFlqBtzqm7MpboxR+rGHKgbc6ZuzJ26ccfqxt2qG3eq"
        "btylunHH6sbdqht3rm7cqbrxJagbX4a6cafqxl2qG3ekbtyBunFn6sabjF2YTYKSLxHhqiSpZ/kG0bIFr202x58ZbrUfqP3WS/oWs6dtMV/S"
        "N+09bdP+hdm2tPaZx1ZbfQtR3PKefYqytfYP8UfeuyxvFT7oiPfJr77aw+0/bLRX5G3ouwnYoN6sfPGDCbDsxy/r/53+K+hSe73zLFrvnNwZ"
        "TO8/RO3OqdknDZOP5z+ELC9c+B8E2Avv/AClH2zI2xfarc7ZvNBKe+XuGjpx/uL/AUmi7eM=",
    ),
    "minilm": (
        "219e362c5e720c298173282867d6f1304c76f36e2d69383cd939a51344b313d7",
        "eNq1nM9yG7cdx0WJEilYduytU9tNJ5Myf1pTkUT8xyaTVrbj8USxMx07TZr0wKHFtc1aImWRcu2c/AA99Ql866XtA3R66PTY6bPkkD5Au+Tu"
        "coEFsH9ESBctdoEf8PuD736sHbi57p0LnvcOTnqTYOtZ76Pv/1wDu+BnweHDoN8fDB+Pt/8wOu535XYwePxkAtYHw6OTSXfQH3vNO73Jk+C4"
        "22mtRVfgc/BzacRk9DQYdicvjwKDnQvSU9kYnBuj8lyNB096YU/UWp1dtAFYCYb9q8uva8vtDbA6nvSOJ1drYQt8Bd6XZjsajQeTwWho9mTC"
        "SLfThSCxLt0LZzwY7AddHM44vQDvgLm/8yvord7o97uktRL+Aj8FUQskQ6OnNHr6p1r0mIK3pLXc7b0Mjr8YHR8mq7pmfPhw0Bt7l+ft3sHg"
        "u97MLdby9Lvty6DeezEYX/1f8jONTPsSaARH48HBaPjmf/7xx83XtRq4Di70JpNgOLN12Bs/9dZu9caTLm/Vp7/b62B5Mori+i6IH4Hzjw5G"
        "vQlGXbjd6Xa81QcnD7uitRL+Au+BqAXemPcJNvGs172Tg67fWgl/gS0QtcC5KNywG/bzNn4zHD87CYLvgi7stNbnLfBbYPQcbAXD/VE/ON4+"
        "mD7d7mzPXdkeBwePtsPhxy/juG5/6a3f602m08KwxKJLcAukN8H1UuZmmVibJhKiKLEdEDfBpaR6wvpB3anzHrgfjGe1BXGrEV8DAaTb3saX"
        "x73hOCzUsEVa6/NWmK/6UXB8uLu0u7xb2115XWsACJTe4HIS5s425Ixzxvww1mszj2gU7K8s0dsscPdpYIodm8fuRho7Fm77YmNS5LgaOZ4f"
        "OWGOnFAi59sit7Jbm0buOoijokTQn3uGOnPPPgDpTaBUZbR8BKPlYxA3PfBg9Ghy2HvRRajViK/Nm/DUxTzV6kBPCMKGYka4sJgjc2lKEFFS"
        "gkhuShA1pgRROSWIFRTzFpDiBpSRqX987h9P/ePKPKJgHqLYDrUp9QwLovjlp379WvLLBzv2eI5OJuFbarsfDMeGBOG0rm6D9Gbe9lMMpinC"
        "cdltgrhprqS4cyxO/6zFvRGAhTNqL6OdCkNmC33TsCKMF3tHfQ3MVvUQhnkNUx/0ByHUWPNBDAqGia5gBmNSLuKX+pU4utRr3AkOTrqYterT"
        "i3AzJjdCHMlYLiiYtOI/ThfIQzbLMyMtTURL+zBemrCEL+7tR73/ktSJr0fCVh3vF3a01gTpLFYT3wCz1ayMwpJMQExMQDQmgEVMQFQmIPlM"
        "QMxMQBQmIJWYgOQyAYmZ4Gtb+DYL/DVCATFBAdGgAOZDAVGhgORDATFDAVGggJSEAqJAAUmhgJqggBqhgKpQQCUooIVQcOpytlABNVEBxYXl"
        "nKUCqlIBzacCaqYCqlABrUAFVKECmlIBNVEBVaiAVqICmkcF1EwFVKMCWJoKmIkKWO7+s8g9g4rcM2gppbh3BguYhgWwOhbAU2EBOxMsYFiP"
        "YRksYCYsYETXsFwsYCoWsAQLWBYLmIYFsKhiTFjANCyA1jpRsYAJS/ji3hksYL4eiZJYACvUBD8TLOCajqKSWMBNWMA1LEBFWMBVLOD5WMDN"
        "WMAVLOCVsIDnYgHPxQKuyRIqhQXchAVcwwKUjwVcxQKejwXcjAVcwQJeEgu4ggU8xQJhwgJhxAKhYoGQsECcEgtKlLMFC4QJCwQuLOcsFggV"
        "C0Q+FggzFggFC0QFLBAKFogUC4QJC4SCBaISFog8LBBmLBAaFqDSWOCbsMDP3X8WufdVLPChpZTi3hks8DUsQNWxAJ0KC/wzwQIf6zEsgwW+"
        "CQt8omtYLhb4Khb4CRb4WSzwNSxARRVjwgJfwwJkrRMVC3xhCV/cO8aCvyZ14uuRKIkFyFITPzZMDzsLcsHvgMVsVklxARiA5E/eHSjtVOlu"
        "VktxDho0Zn/87sR7D4GkbVLTc/M/e3ckOvgIyPe989JftjtFfICB2t0CCI3IsZgQvrEGcrPAbwUR0oAx6Y0k3c2WFbZCQhw0ngkiLwiisARR"
        "qEEsIoUPQRIfNZp+6iJMNf0XQLqboYVo3TCWbQqStncuee1BWAgMp6/zDDGk68SmOoe4sM4lZohdIWqKIMlPEaTmFEGqpAgWgUMHyBEE6ljJ"
        "0VRIfclRrk5WRA9MtW/AB8kRiR/uyw5qAIELAWK+YOkz1h0g3c3bn/qrIcpQ8p1rByRtW3klA2Ip+1ctGaFxBK7OEbiQI4yrQnjRf0tazOqh"
        "zCOJNAfEJHWI6FJnY4k4pjFMXEtiTL3mDB4gSnDiNpjfyb52cWEBpfvgE2mZGlFge9mITNkIWySTATFV/G1eNr4elJJYgauUCD4brMCa3JKy"
        "WIGNWIE1rCCFWIEzWIELsAJbsAKrWIGrYQXOxwqcjxX6Z1JSDiuwESuwhhWkACtwBitwAVZgC1ZgFStwWazAKlZgCSuIESuIGStIBiuIjBXk"
        "tFhRos5tWEGMWEFwYZ1rWEEyWEEKsIJYsIKoWEGqYAVRsYJIWEGMWEFUrCDVsILkYgWxYAXRsIKUxwpqxAqauz9t7weawQoKbeWVDMhiBdWw"
        "glTHCnI6rKBngxUU66EshRXUiBWU6FKXjxU0gxV0jhVUwwqqYQUpLCAjVlANK4i9bDJYQYUtksmALFZQXw9KSawgVUqEnQ1WME1uaVmsYEas"
        "YBpW0EKsYBmsYAVYwSxYwVSsYNWwguVjBcvHCv07Ky2HFcyIFUzDClqAFSyDFawAK5gFK5iKFawsVjAVK5iEFdyIFdyMFTyDFVzGCn5arChR"
        "5zas4Eas4LiwzjWs4Bms4AVYwS1YwVWs4FWwgqtYwSWs4Eas4CpW8GpYwXOxgluwgmtYQctjhTBihcjdn7b3g8hghYC28koGZLFCaFhBq2MF"
        "PR1WiLPBCoH1UJbCCmHECkF0qcvHCpHBCjHHCqFhhdCwghYWkBErhIYV1F42GawQwhbJZEAWK4SvB6UkVtAqJeIviBWb2lmP5uxAB/Shftpj"
        "B8wfJodiYKgH56W3gI/kQxofA/UZsPiQ5s5PxXoLSHfl+c49mFsk4esknusmkO8DEPXfmg7YuB/0T/aDu6E6+7TVTFrtN0DzaRAc9QeH48jB"
        "LaB0lQ+sbIXyPkWJqQb7LESJ3gvwnjpl8tBrfDp4Hl6EL/TwArwFkra3FmW21fysPw355KW3+vi4d/SkfaP59+9rzVcrF2s3i49b/f4SaB6M"
        "9mfRCw0MngfDo1r7dnM5MlD2tJXZzLVm7WLjZnrkaa+5FP+0P22+qkdTlDtMZZ6ARybyzjuZB9JooP0slHnYlXCMejhpr7609OpX7Wvhg+yJ"
        "pL36v3/47Fn73eZyGAT5INLexVochuUkHEqk4DRSSZf23XCp0WqrHUeyZXZmqvxRJLMZv1kP16sDy947S5mfjfh38qD9dji9ka336v+t01+2"
        "9+b+VjlAZF7mraSKyx0eMhspnwCVGhdKQMqLZjM7zZUwAVmc2ruaDf+ruI7aX8y9qHrSxLyAO4U50l6IZkP3IkPVD4+YzX1e1sky+z2qxQ2T"
        "nzmQY63FDVMtWvDGbCSUzY1ENssc+jBb+SR5OxQd+Ki2qyrl6Ua+G2WyY92Y0J0ywqrKaJUv6Eq+oCP5gu7kC1aVL6saQZdqBF2pEXSrRtCx"
        "GkFXagQdqRFcXI3gYmoEXagRdKJGyJ0aIWdqhFypEXKkRsidGiFnaoRcqhFypUbIrRohx2qEXKkRcqRGaHE1QoupEXKhRsiJGmF3aoSdqRF2"
        "pUbYkRphd2qEnakRdqlG2JUaYbdqhB2rEXalRtiRGuHF1QgvpkbYhRphJ2pE3KkRcaZGxJUaEUdqRNypEXGmRsSlGhFXakTcqhFxrEbElRoR"
        "R2pEFlcjspgaERdqRJyoEXWnRtSZGlFXakQdqRF1p0bUmRpRl2pEXakRdatG1LEaUVdqRB2pEV1cjehiakRdqBGtkp2fzD79SZ+Y95rJh/bs"
        "Z8XZd+O9+vR7+7cfyP955TVwpdnwfgQa3urD3mT/CWh6a7PPteNv9Y/y+Z0z/2umvfPDt0H8Cdq7DLxmzbuQdpru0Zt1sHTx8v8B8n3/Qg==",
    ),
}
