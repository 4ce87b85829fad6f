int * func_1(int a[])
{
    int p_0 = 4;
    int l_1 = 3;
    int l_2 = 0;
    a[l_2] = a[l_2] + 0;
    for (p_0 = 0; p_0 <= 3; p_0++)
    {
        l_1 = p_0;
        ++l_1;
        a[p_0] = a[l_1];
    }
    if (a[p_0] < 9 || l_1 == 2)
    {
        a[p_0] = (3 - 3 + l_2);
        l_1--;
    }
    return a;
}
